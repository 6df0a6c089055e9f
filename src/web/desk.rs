//! The Data view's desk on a thread's event loop: it reads one piece of a file, lets waiting events run, then reads the
//! next.
//!
//! Orders and replies are [messages](message) of plain arrays.

pub(super) mod message;

use fedsysid_say::say;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use js_sys::{Array, Float64Array, Uint8Array};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, File};

use super::soon::Soon;
use super::{clock, error_text, file};
use crate::dashboard::views::data::simulated::{Simulated, example};
use crate::dashboard::views::data::{Chosen, Desk, Reply, of_lot};
use crate::data::shared::Rounds;
use crate::protocol::{Request, wire};
use crate::sim::scenario::Settings;
use message::{Code, count};

/// Amount of work done at a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// Bytes of a piece of a file.
    pub(super) piece: f64,
    /// Duration of a slice of identification, in milliseconds.
    pub(super) slice_ms: f64,
}

/// In a worker: orders may wait for some ten milliseconds.
pub(super) const IN_WORKER: Pace = Pace { piece: 1_048_576.0, slice_ms: 20.0 };
/// On the page: a small part of a frame.
pub(super) const ON_PAGE: Pace = Pace { piece: 65_536.0, slice_ms: 6.0 };

/// Least time between two reports of progress, in milliseconds.
const TELL_EVERY_MS: f64 = 100.0;

/// A desk that takes orders and answers with replies.
pub(super) struct DeskService {
    shared: Rc<Shared>,
}

enum Task {
    None,
    Read(Lot),
    Identify,
    Write { name: &'static str, from: Box<Simulated>, pieces: Array, reads: bool },
}

/// Files being read.
struct Lot {
    files: Vec<File>,
    index: usize,
    /// Bytes read of the current file, bytes of all files before it, and bytes of all files.
    at: f64,
    before: f64,
    total: f64,
}

struct Shared {
    desk: RefCell<Desk>,
    pace: Pace,
    emit: Box<dyn Fn(&Array)>,
    job: Cell<u32>,
    task: RefCell<Task>,
    told: Cell<f64>,
    soon: RefCell<Option<Soon>>,
    /// Whether bytes have been requested, and whether they are no longer wanted.
    is_awaiting: Cell<bool>,
    is_stale: Cell<bool>,
    on_bytes: Closure<dyn FnMut(JsValue)>,
    on_error: Closure<dyn FnMut(JsValue)>,
}

impl DeskService {
    /// A desk that passes its replies to `emit`.
    pub(super) fn new(pace: Pace, emit: impl Fn(&Array) + 'static) -> Self {
        let shared = Rc::new_cyclic(|weak: &Weak<Shared>| {
            let with = |act: fn(&Shared, &JsValue)| {
                let weak = weak.clone();
                move |value: JsValue| {
                    if let Some(shared) = weak.upgrade() {
                        act(&shared, &value);
                    }
                }
            };
            let tick = with(|shared, _| shared.tick());
            Shared {
                desk: RefCell::default(),
                pace,
                emit: Box::new(emit),
                job: Cell::new(0),
                task: RefCell::new(Task::None),
                told: Cell::new(0.0),
                soon: RefCell::new(Soon::new(move || tick(JsValue::NULL))),
                is_awaiting: Cell::new(false),
                is_stale: Cell::new(false),
                on_bytes: Closure::new(with(Shared::take_bytes)),
                on_error: Closure::new(with(Shared::fail_to_read)),
            }
        });
        Self { shared }
    }

    /// Handles an order. The current task is dropped.
    pub(super) fn handle(&self, order: &Array) {
        self.shared.handle(order);
    }
}

impl Shared {
    #[expect(clippy::cast_possible_truncation, reason = "jobs are counted in 32 bits")]
    fn handle(&self, order: &Array) {
        let Some(code) = message::code(order) else { return };
        self.job.set(count(&order.get(0)) as u32);
        self.is_stale.set(self.is_awaiting.get());
        self.told.set(clock::now());
        self.desk.borrow_mut().drop_work();
        let task = self.begin(code, order);
        let is_idle = matches!(task, Task::None);
        self.task.replace(task);
        if !is_idle {
            self.schedule();
        }
    }

    /// Starts the task that an order asks for.
    fn begin(&self, code: Code, order: &Array) -> Task {
        let mut desk = self.desk.borrow_mut();
        match code {
            Code::Open => {
                desk.begin(order.get(2).is_truthy());
                let files: Vec<File> = Array::from(&order.get(3)).iter().filter_map(|it| it.dyn_into().ok()).collect();
                let total = files.iter().map(|file| file.size()).sum();
                return Task::Read(Lot { files, index: 0, at: 0.0, before: 0.0, total });
            }
            Code::Example => return self.write("example.csv", Simulated::new(example()), true),
            Code::Simulated => {
                let settings = order.get(2).dyn_into().ok().and_then(|numbers: Float64Array| settings(&numbers));
                let Some(settings) = settings else { return Task::None };
                return self.write("simulated.csv", Simulated::new(settings), false);
            }
            Code::Rounds => {
                let rounds = Rounds { n_local_steps: count(&order.get(2)), n_rounds: count(&order.get(3)) };
                if desk.set_rounds(rounds) {
                    return Task::Identify;
                }
                self.reply(Reply::Done);
            }
            Code::Choose => {
                desk.choose(Chosen { model: count(&order.get(2)), way: count(&order.get(3)) });
                self.show(&desk);
            }
            // What was complete before is not stopped: its results are on their way.
            Code::Stop if matches!(*self.task.borrow(), Task::None) => self.reply(Reply::Done),
            Code::Stop => self.reply(Reply::Stopped),
            Code::Moments => self.give("moments.txt", desk.moments()),
            Code::Results => self.give("identified.csv", desk.results()),
        }
        Task::None
    }

    fn write(&self, name: &'static str, from: Result<Simulated, String>, reads: bool) -> Task {
        match from {
            Ok(from) => Task::Write { name, from: Box::new(from), pieces: Array::new(), reads },
            Err(words) => {
                self.reply(Reply::Failed(words));
                Task::None
            }
        }
    }

    fn schedule(&self) {
        if let Some(soon) = &*self.soon.borrow() {
            soon.call();
        }
    }

    /// Does one piece of the task.
    fn tick(&self) {
        // The task is taken out while it runs, so that the cell is not borrowed meanwhile.
        let next = match self.task.replace(Task::None) {
            Task::None => Task::None,
            Task::Read(lot) => self.read(lot),
            Task::Identify => self.identify(),
            Task::Write { name, from, pieces, reads } => self.write_on(name, from, pieces, reads),
        };
        let goes_on = matches!(next, Task::Identify | Task::Write { .. });
        self.task.replace(next);
        if goes_on {
            self.schedule();
        }
    }

    /// Requests the next bytes; they arrive in [`Shared::take_bytes`]. The task that goes on: none if they cannot be read.
    fn read(&self, lot: Lot) -> Task {
        if self.is_awaiting.get() {
            return Task::Read(lot);
        }
        let Some(file) = lot.files.get(lot.index) else { return Task::None };
        match file.slice_with_f64_and_f64(lot.at, file.size().min(lot.at + self.pace.piece)) {
            Ok(piece) => {
                self.is_awaiting.set(true);
                let _ = piece.array_buffer().then2(&self.on_bytes, &self.on_error);
                Task::Read(lot)
            }
            Err(error) => self.refuse(&lot, &error),
        }
    }

    fn take_bytes(&self, bytes: &JsValue) {
        self.is_awaiting.set(false);
        if self.is_stale.replace(false) {
            return self.schedule();
        }
        let Task::Read(lot) = self.task.replace(Task::None) else { return };
        let n_files = lot.files.len();
        let taken = self.take_piece(lot, &Uint8Array::new(bytes).to_vec());
        let next = taken.unwrap_or_else(|words| self.fail(words, n_files));
        let goes_on = !matches!(next, Task::None);
        self.task.replace(next);
        if goes_on {
            self.schedule();
        }
    }

    fn take_piece(&self, mut lot: Lot, bytes: &[u8]) -> Result<Task, String> {
        let Some(file) = lot.files.get(lot.index) else { return Ok(Task::None) };
        let mut desk = self.desk.borrow_mut();
        if lot.at <= 0.0 {
            desk.open(&file.name());
        }
        desk.push(bytes)?;
        lot.at += bytes.len() as f64;
        self.tell((lot.before + lot.at) / lot.total.max(1.0), || {
            say!("{}: {} of {} MB", file.name(), megabytes(lot.at), megabytes(file.size()))
        });
        if lot.at >= file.size() {
            desk.close()?;
            (lot.index, lot.before, lot.at) = (lot.index + 1, lot.before + lot.at, 0.0);
        }
        if lot.index < lot.files.len() {
            return Ok(Task::Read(lot));
        }
        desk.identify();
        Ok(Task::Identify)
    }

    fn fail_to_read(&self, error: &JsValue) {
        self.is_awaiting.set(false);
        if self.is_stale.replace(false) {
            return self.schedule();
        }
        if let Task::Read(lot) = self.task.replace(Task::None) {
            self.refuse(&lot, error);
        }
    }

    /// Reports that a file cannot be read; no task goes on.
    fn refuse(&self, lot: &Lot, error: &JsValue) -> Task {
        let name = lot.files.get(lot.index).map(File::name).unwrap_or_default();
        self.fail(say!("{name} could not be read: {}.", error_text(error)), lot.files.len())
    }

    /// Reports why a lot of so many files cannot be opened, and drops the work; no task goes on.
    fn fail(&self, words: String, n_files: usize) -> Task {
        self.desk.borrow_mut().drop_work();
        self.reply(Reply::Failed(of_lot(words, n_files)));
        Task::None
    }

    fn identify(&self) -> Task {
        let mut desk = self.desk.borrow_mut();
        if let Some(share) = desk.work(clock::now() + self.pace.slice_ms, clock::now) {
            self.tell(share, || say!("identifying").into());
            return Task::Identify;
        }
        self.show(&desk);
        Task::None
    }

    /// Writes one more client of a simulated file. The complete file is saved or, if `reads`, opened.
    fn write_on(&self, name: &'static str, mut from: Box<Simulated>, pieces: Array, reads: bool) -> Task {
        if let Some(text) = from.next() {
            pieces.push(&text.into());
            self.tell(from.progress(), || say!("{name}: client by client"));
            return Task::Write { name, from, pieces, reads };
        }
        if !reads {
            self.give_blob(name, file::blob("text/csv", &pieces));
            return Task::None;
        }
        let mut desk = self.desk.borrow_mut();
        desk.begin(false);
        desk.open(name);
        let texts = pieces.iter().filter_map(|piece| piece.as_string());
        let read = texts.into_iter().try_for_each(|text| desk.push(text.as_bytes())).and_then(|()| desk.close());
        match read {
            Ok(()) => {
                desk.identify();
                Task::Identify
            }
            Err(words) => {
                self.reply(Reply::Failed(words));
                Task::None
            }
        }
    }

    /// Reports progress (`share`, 0 to 1), at most every [`TELL_EVERY_MS`].
    fn tell(&self, share: f64, words: impl FnOnce() -> String) {
        let now = clock::now();
        if now - self.told.get() >= TELL_EVERY_MS {
            self.told.set(now);
            self.reply(Reply::Progress { share, words: words() });
        }
    }

    fn show(&self, desk: &Desk) {
        self.reply(desk.parts().map_or(Reply::Done, |parts| Reply::Parts(Box::new(parts))));
    }

    fn give(&self, name: &str, text: Option<String>) {
        let blob = text.and_then(|text| file::blob("text/plain", &Array::of1(&text.into())));
        self.give_blob(name, blob);
    }

    fn give_blob(&self, name: &str, blob: Option<Blob>) {
        if let Some(blob) = blob {
            (self.emit)(&message::file(self.job.get(), name, &blob));
        }
        self.reply(Reply::Done);
    }

    fn reply(&self, reply: Reply) {
        (self.emit)(&message::reply(self.job.get(), reply));
    }
}

fn settings(numbers: &Float64Array) -> Option<Settings> {
    match wire::decode(&numbers.to_vec()) {
        Ok(Request::Run { settings, .. }) => Some(settings),
        _ => None,
    }
}

/// Bytes in megabytes, as text without a unit.
fn megabytes(bytes: f64) -> String {
    crate::figure::number::number(bytes / 1e6)
}
