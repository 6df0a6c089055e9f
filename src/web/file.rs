//! Files that the page saves or reads.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Function, Reflect, Uint8Array};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    Blob, BlobPropertyBag, File, FileReader, HtmlAnchorElement, HtmlCanvasElement, HtmlInputElement, ProgressEvent, Url,
};

use super::listener::Listener;

/// Makes the browser save a text as a file with this name. Does nothing where the browser cannot save files.
pub fn save(name: &str, kind: &str, text: &str) {
    let _ = try_save(name, kind, &Array::of1(&text.into()));
}

/// Makes the browser save the content of a canvas as PNG, with `texts` inserted after the first `head` bytes; then
/// calls `then` with whether there was a picture.
pub fn save_png(
    canvas: &HtmlCanvasElement,
    name: String,
    (head, texts): (i32, Vec<u8>),
    then: impl FnOnce(bool) + 'static,
) {
    let save = move |blob: JsValue| {
        let picture = blob.dyn_into::<Blob>().ok();
        let saved = picture.and_then(|picture| {
            let (first, rest) = (picture.slice_with_i32_and_i32(0, head).ok()?, picture.slice_with_i32(head).ok()?);
            let parts = Array::of3(&first, &Uint8Array::from(texts.as_slice()), &rest);
            try_save(&name, "image/png", &parts)
        });
        then(saved.is_some());
    };
    let save: Box<dyn FnOnce(JsValue)> = Box::new(save);
    let save = Closure::<dyn FnMut(JsValue)>::once_into_js(save);
    let _ = canvas.to_blob(save.unchecked_ref());
}

/// Whether the page is a single file.
pub fn is_whole() -> bool {
    whole().is_some()
}

/// The function that writes the page as a file, if the page is a single file; `xtask/src/single/unpack.js` defines it.
fn whole() -> Option<Function> {
    Reflect::get(&js_sys::global(), &"fedsysidPage".into()).ok()?.dyn_into().ok()
}

/// Makes the browser save the page itself as a file that opens with these settings, if the page is a single file.
pub fn save_page(name: &str, query: &str) {
    let page = whole().and_then(|page| page.call1(&JsValue::NULL, &query.into()).ok()?.as_string());
    if let Some(page) = page {
        save(name, "text/html", &page);
    }
}

fn try_save(name: &str, kind: &str, parts: &Array) -> Option<()> {
    save_blob(name, &blob(kind, parts)?).ok()
}

/// Texts, bytes and blobs joined to the content of one file; `None` if the browser refuses.
pub(super) fn blob(kind: &str, parts: &Array) -> Option<Blob> {
    let options = BlobPropertyBag::new();
    options.set_type(kind);
    Blob::new_with_buffer_source_sequence_and_options(parts, &options).ok()
}

/// Time after which a saved file's content is let go, in milliseconds: by then every browser has begun to read it.
const FORGOTTEN_MS: i32 = 40_000;

/// Makes the browser save a file's content under this name.
///
/// # Errors
/// The browser's reason if it cannot.
pub(super) fn save_blob(name: &str, blob: &Blob) -> Result<(), JsValue> {
    let address = Url::create_object_url_with_blob(blob)?;
    let window = web_sys::window().ok_or(JsValue::NULL)?;
    let document = window.document().ok_or(JsValue::NULL)?;
    let link: HtmlAnchorElement = document.create_element("a")?.unchecked_into();
    link.set_href(&address);
    link.set_download(name);
    link.click();
    // Safari reads the address after this task.
    let forget = Closure::once_into_js(move || drop(Url::revoke_object_url(&address)));
    window.set_timeout_with_callback_and_timeout_and_arguments_0(forget.unchecked_ref(), FORGOTTEN_MS)?;
    Ok(())
}

/// The file chosen in a file input. The input is cleared, so that the same file can be chosen again.
pub fn chosen(input: &HtmlInputElement) -> Option<File> {
    let file = input.files()?.get(0)?;
    input.set_value("");
    Some(file)
}

/// Reads a file's whole text; `then` gets `None` if the browser cannot read it.
pub fn read_text(file: &File, then: impl FnOnce(Option<String>) + 'static) {
    let Ok(reader) = FileReader::new() else { return then(None) };
    let listener = Rc::new(RefCell::new(None));
    let (kept, source) = (listener.clone(), reader.clone());
    let mut then = Some(then);
    let heard = move |_: ProgressEvent| {
        // The listener holds itself until the file is read.
        let _done = kept.borrow_mut().take();
        if let Some(then) = then.take() {
            then(source.result().ok().and_then(|result| result.as_string()));
        }
    };
    listener.replace(Some(Listener::new(&reader, "loadend", heard)));
    let _ = reader.read_as_text(file);
}
