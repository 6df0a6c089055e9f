//! Orders and replies of a desk as plain arrays `[job, code, …]`: messages carry files and blobs unchanged.

use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Blob;

use crate::dashboard::views::data::Reply;
use crate::dashboard::views::data::parts::Parts;

/// The kind of an order, by its index in an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::web) enum Code {
    /// `adds, files`: read these files.
    Open,
    /// Read the example data.
    Example,
    /// Drop the current job.
    Stop,
    /// `K, R`: identify again with these rounds.
    Rounds,
    /// `model, way`: show these.
    Choose,
    /// Save a moments file.
    Moments,
    /// Save the findings as a file.
    Results,
    /// `settings`: save simulated data as a file.
    Simulated,
}

const CODES: [Code; 8] =
    [Code::Open, Code::Example, Code::Stop, Code::Rounds, Code::Choose, Code::Moments, Code::Results, Code::Simulated];

/// An order as an array.
pub(in crate::web) fn order(job: u32, code: Code, with: &[JsValue]) -> Array {
    let place = CODES.iter().position(|other| *other == code).unwrap_or(0);
    message(job, place, with)
}

/// The code of an order; `None` if the array is not an order.
pub(super) fn code(order: &Array) -> Option<Code> {
    CODES.get(count(&order.get(1))).copied()
}

/// A small whole number.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small whole numbers of our own")]
pub(super) fn count(value: &JsValue) -> usize {
    value.as_f64().unwrap_or_default() as usize
}

/// A reply to a job as an array.
pub(super) fn reply(job: u32, reply: Reply) -> Array {
    match reply {
        Reply::Progress { share, words } => message(job, 0, &[share.into(), words.into()]),
        Reply::Parts(parts) => message(job, 1, &parts.into_texts().map(JsValue::from)),
        Reply::Failed(words) => message(job, 2, &[words.into()]),
        Reply::Stopped => message(job, 3, &[]),
        Reply::Done => message(job, 4, &[]),
    }
}

/// A message with a file to save.
pub(super) fn file(job: u32, name: &str, content: &Blob) -> Array {
    message(job, 5, &[name.into(), content.into()])
}

fn message(job: u32, code: usize, with: &[JsValue]) -> Array {
    let message = Array::of2(&job.into(), &(code as f64).into());
    for value in with {
        message.push(value);
    }
    message
}

/// A message of a desk.
pub(in crate::web) enum Said {
    /// A reply to a job.
    Reply(u32, Reply),
    /// A file to be saved under this name.
    File(String, Blob),
}

/// Reads a desk's message; `None` if it is not one.
#[expect(clippy::cast_possible_truncation, reason = "jobs are counted in 32 bits")]
pub(in crate::web) fn said(message: &Array) -> Option<Said> {
    let text = |place| message.get(place).as_string().unwrap_or_default();
    let reply = match count(&message.get(1)) {
        0 => Reply::Progress { share: message.get(2).as_f64()?, words: text(3) },
        1 => {
            let texts = (2..message.length()).map(text);
            Reply::Parts(Box::new(Parts::from_texts(texts)))
        }
        2 => Reply::Failed(text(2)),
        3 => Reply::Stopped,
        4 => Reply::Done,
        _ => return Some(Said::File(text(2), message.get(3).dyn_into().ok()?)),
    };
    Some(Said::Reply(count(&message.get(0)) as u32, reply))
}
