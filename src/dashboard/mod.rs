//! What the page says and shows, without a page: functions from settings and results to figures, words and markup.
//!
//! Read in this order; each folder uses only those before it.
//!
//! - [`words`]: what sentences in several places share: counts and lists, explanations of quantities.
//! - [`results`]: what the engines have delivered: the run of the settings ([`results::Dashboard`]), sweeps, and how far the
//!   work is.
//! - [`run`]: one run: its figure, the numbers at a round, sentences, badges, cards, pins, one round in slow motion.
//! - [`views`]: one module for each tab beside Explore; [`views::wanted`] says what the shown one needs computed.
//! - [`outgoing`]: what leaves the page: files, programs, code for other pages, messages to the page around.

pub mod outgoing;
pub mod results;
pub mod run;
pub mod views;
pub mod words;
