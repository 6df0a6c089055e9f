//! Files that the page gives to the person, and gets.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::Array;
use wasm_bindgen::JsCast;
use web_sys::{Blob, BlobPropertyBag, File, FileReader, HtmlAnchorElement, HtmlInputElement, ProgressEvent, Url};

use super::listener::Listener;

/// Has the browser save a text under this name. Where it saves no files, nothing happens.
pub fn save(name: &str, kind: &str, text: &str) {
    let _ = try_save(name, kind, text);
}

fn try_save(name: &str, kind: &str, text: &str) -> Option<()> {
    let options = BlobPropertyBag::new();
    options.set_type(kind);
    let blob = Blob::new_with_str_sequence_and_options(&Array::of1(&text.into()), &options).ok()?;
    let address = Url::create_object_url_with_blob(&blob).ok()?;
    let document = web_sys::window()?.document()?;
    let link: HtmlAnchorElement = document.create_element("a").ok()?.dyn_into().ok()?;
    link.set_href(&address);
    link.set_download(name);
    link.click();
    Url::revoke_object_url(&address).ok()
}

/// The file that was chosen in a box for files. The box forgets it, so that the same one can be chosen again.
pub fn chosen(input: &HtmlInputElement) -> Option<File> {
    let file = input.files()?.get(0)?;
    input.set_value("");
    Some(file)
}

/// Reads a file's text, whole; nothing if the browser cannot.
pub fn read_text(file: &File, then: impl FnOnce(Option<String>) + 'static) {
    let Ok(reader) = FileReader::new() else { return then(None) };
    let listener = Rc::new(RefCell::new(None));
    let (kept, source) = (listener.clone(), reader.clone());
    let mut then = Some(then);
    let heard = move |_: ProgressEvent| {
        // The listener keeps itself until then.
        let _done = kept.borrow_mut().take();
        if let Some(then) = then.take() {
            then(source.result().ok().and_then(|result| result.as_string()));
        }
    };
    listener.replace(Some(Listener::new(&reader, "loadend", heard)));
    let _ = reader.read_as_text(file);
}
