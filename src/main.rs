//! The only binary: it mounts the page or, in a worker, serves as one of its engines.

fn main() {
    fedsysid::web::log_panics();
    fedsysid::web::language::begin();
    if fedsysid::web::in_worker() {
        fedsysid::web::scope::serve();
    } else {
        fedsysid::ui::mount();
    }
}
