//! The page's side of the Data view's desk: orders go to a worker or, where no worker starts, to a desk on the page.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use fedsysid_say::say;
use js_sys::{Array, Float64Array};
use wasm_bindgen::JsValue;
use web_sys::FileList;

use super::desk::message::{Code, Said, order, said};
use super::desk::{DeskService, ON_PAGE};
use super::soon::Outbox;
use super::worker::{Heard, Worker};
use super::{error_text, file};
use crate::dashboard::views::data::{Chosen, Reply};
use crate::data::shared::Rounds;
use crate::protocol::{Event, Generation, Request, wire};
use crate::sim::scenario::Settings;

/// A message of the desk to the page.
pub enum DeskMessage {
    /// A reply to a job.
    Reply(u32, Reply),
    /// A file was not saved; why, in words.
    Unsaved(String),
    /// The worker died, and the opened data with it; with the browser's message.
    Lost(String),
}

/// Stands for the desk on the page: passes orders to it. Its worker ends when this is dropped.
pub struct DeskProxy {
    shared: Rc<Shared>,
}

struct Shared {
    host: RefCell<Host>,
    /// Messages of a desk on the page.
    on_page: Outbox<Array>,
    tell: Box<dyn Fn(DeskMessage)>,
}

enum Host {
    None,
    /// A worker that has not come up yet, and the orders that wait for it.
    Starting(Worker, Vec<Array>),
    Worker(Worker),
    Page(DeskService),
}

impl DeskProxy {
    /// A proxy without a worker: the first order starts one. Messages go to `tell`, never during a call to these
    /// methods.
    pub fn new(tell: impl Fn(DeskMessage) + 'static) -> Self {
        let shared = Rc::new_cyclic(|weak: &Weak<Shared>| {
            let weak = weak.clone();
            let said = move |message| {
                if let Some(shared) = weak.upgrade() {
                    shared.said(&message);
                }
            };
            Shared { host: RefCell::new(Host::None), on_page: Outbox::new(said), tell: Box::new(tell) }
        });
        Self { shared }
    }

    /// Reads files, which replace the opened data or are added to them.
    pub fn open(&self, job: u32, files: &FileList, adds: bool) {
        self.shared.send(order(job, Code::Open, &[adds.into(), Array::from(files).into()]));
    }

    /// Reads the example data.
    pub fn open_example(&self, job: u32) {
        self.shared.send(order(job, Code::Example, &[]));
    }

    /// Drops the current job.
    pub fn stop(&self, job: u32) {
        self.shared.send(order(job, Code::Stop, &[]));
    }

    /// Identifies again with other rounds.
    pub fn set_rounds(&self, job: u32, rounds: Rounds) {
        let numbers = [rounds.n_local_steps, rounds.n_rounds].map(|count| JsValue::from(count as f64));
        self.shared.send(order(job, Code::Rounds, &numbers));
    }

    /// Shows another model or another way.
    pub fn choose(&self, job: u32, chosen: Chosen) {
        let numbers = [chosen.model, chosen.way].map(|place| JsValue::from(place as f64));
        self.shared.send(order(job, Code::Choose, &numbers));
    }

    /// Asks for a moments file, which the browser saves.
    pub fn save_moments(&self, job: u32) {
        self.shared.send(order(job, Code::Moments, &[]));
    }

    /// Asks for a file with the findings, which the browser saves.
    pub fn save_results(&self, job: u32) {
        self.shared.send(order(job, Code::Results, &[]));
    }

    /// Asks for the first data set of an experiment as a file, which the browser saves.
    pub fn save_simulated(&self, job: u32, settings: Settings) {
        let numbers = wire::encode(&Request::Run { generation: Generation(0), settings });
        self.shared.send(order(job, Code::Simulated, &[Float64Array::from(numbers.as_slice()).into()]));
    }
}

impl Shared {
    fn send(self: &Rc<Self>, order: Array) {
        if matches!(*self.host.borrow(), Host::None) {
            self.start();
        }
        match &mut *self.host.borrow_mut() {
            Host::None => {}
            Host::Starting(_, waiting) => waiting.push(order),
            Host::Worker(worker) => worker.post_value(&order),
            Host::Page(desk) => desk.handle(&order),
        }
    }

    fn start(self: &Rc<Self>) {
        let weak = Rc::downgrade(self);
        let started = Worker::start(move |heard| {
            if let Some(shared) = weak.upgrade() {
                shared.heard(heard);
            }
        });
        let host = started.map_or_else(|_| self.on_page(), |worker| Host::Starting(worker, Vec::new()));
        self.host.replace(host);
    }

    fn on_page(self: &Rc<Self>) -> Host {
        let weak: Weak<Self> = Rc::downgrade(self);
        let emit = move |message: &Array| {
            if let Some(shared) = weak.upgrade() {
                shared.on_page.send(message.clone());
            }
        };
        Host::Page(DeskService::new(ON_PAGE, emit))
    }

    fn heard(self: &Rc<Self>, heard: Heard) {
        match heard {
            Heard::Event(Event::Ready) => {
                if let Host::Starting(worker, waiting) = self.host.replace(Host::None) {
                    for order in &waiting {
                        worker.post_value(order);
                    }
                    self.host.replace(Host::Worker(worker));
                }
            }
            Heard::Event(_) => {}
            Heard::Said(message) => self.said(&message),
            Heard::Died(reason) => self.died(reason),
        }
    }

    /// The worker died. A worker that never came up had no data: its orders go to a desk on the page.
    fn died(self: &Rc<Self>, reason: String) {
        match self.host.replace(Host::None) {
            Host::Starting(_, waiting) => {
                self.host.replace(self.on_page());
                for order in waiting {
                    self.send(order);
                }
            }
            Host::None | Host::Worker(_) | Host::Page(_) => (self.tell)(DeskMessage::Lost(reason)),
        }
    }

    fn said(&self, message: &Array) {
        match said(message) {
            Some(Said::Reply(job, reply)) => (self.tell)(DeskMessage::Reply(job, reply)),
            Some(Said::File(name, blob)) => {
                if let Err(error) = file::save_blob(&name, &blob) {
                    (self.tell)(DeskMessage::Unsaved(say!("{name} could not be saved: {}.", error_text(&error))));
                }
            }
            None => {}
        }
    }
}
