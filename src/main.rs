//! The one binary: it mounts the page, or serves as an engine of it.

fn main() {
    fedsysid::web::log_panics();
    fedsysid::web::language::begin();
    if fedsysid::web::in_worker() {
        fedsysid::web::scope::serve();
    } else {
        fedsysid::ui::mount();
    }
}
