//! The page's side of the Data view: the desk's replies and their state.

use super::parts::{CARDS, Chosen, Part, Parts};
use crate::data::shared::Rounds;
use fedsysid_say::say;

/// A reply of the desk.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// The work goes on.
    Progress {
        /// Share of the work that is done, from 0 to 1.
        share: f64,
        /// The present work, in words.
        words: String,
    },
    /// The work is done; these are the pieces to show.
    Parts(Box<Parts>),
    /// The work cannot be done; the reason in words. The page keeps what it showed before.
    Failed(String),
    /// The work was stopped. The page keeps what it showed before.
    Stopped,
    /// The work is done; there is nothing to show.
    Done,
}

/// What the reader may set.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Choices {
    /// The model and the way that are shown.
    pub chosen: Chosen,
    /// The rounds of the federated methods.
    pub rounds: Rounds,
    /// Whether the example is open, and nothing else.
    pub is_example: bool,
}

/// The shown pieces of opened data, and the progress of the work.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheet {
    job: u32,
    progress: Option<(f64, String)>,
    complaint: Option<String>,
    parts: Option<Box<Parts>>,
    /// Pieces that have arrived, and how many of their cards are shown already.
    coming: Option<(Box<Parts>, usize)>,
    /// Choices that the shown pieces follow, and those that they follow once the job is done.
    in_use: Choices,
    asked: Choices,
    /// The choices that the job before asked for.
    before: Choices,
    /// The complaint about the loss of the opened data, until others are opened.
    lost: Option<String>,
    /// Changes whenever a choice comes to nothing.
    is_odd: bool,
}

impl Sheet {
    /// Begins a job, after which these choices are in use, and returns its number. Of later replies to older jobs, only
    /// the pieces of the job before are taken.
    pub fn begin(&mut self, asked: Choices) -> u32 {
        self.job += 1;
        self.before = std::mem::replace(&mut self.asked, asked);
        (self.progress, self.complaint) = (Some((0.0, String::new())), None);
        self.job
    }

    /// Applies the desk's reply to a job.
    pub fn apply(&mut self, job: u32, reply: Reply) {
        if job != self.job {
            return self.apply_late(job, reply);
        }
        match reply {
            Reply::Parts(_) | Reply::Done => self.in_use = self.asked,
            Reply::Failed(_) | Reply::Stopped => self.is_odd = !self.is_odd,
            Reply::Progress { .. } => {}
        }
        let progress = match reply {
            Reply::Progress { share, words } => Some((share, words)),
            Reply::Parts(parts) => {
                self.come(parts);
                None
            }
            Reply::Failed(words) => {
                self.complaint = Some(words);
                None
            }
            Reply::Stopped => {
                self.complaint = Some(say!("Stopped. What was here before stays.").into());
                None
            }
            Reply::Done => None,
        };
        self.progress = progress;
    }

    fn come(&mut self, parts: Box<Parts>) {
        self.coming = Some((parts, 0));
        self.lost = None;
    }

    /// Applies a reply to an older job. If the job before was done when the present one reached the desk, the desk holds
    /// its results: these are shown, or the page would speak of other data than the desk.
    fn apply_late(&mut self, job: u32, reply: Reply) {
        if let Reply::Parts(parts) = reply
            && job + 1 == self.job
        {
            (self.in_use, self.asked.rounds) = (self.before, self.before.rounds);
            self.come(parts);
        }
    }

    /// Shows the next card of the arrived pieces, if there is one: all cards of a large file at once would take the
    /// browser longer than a frame.
    pub fn show_next(&mut self) {
        let Some((mut coming, shown)) = self.coming.take() else { return };
        self.parts.get_or_insert_default().take_card(shown, &mut coming);
        if shown + 1 < CARDS.len() {
            self.coming = Some((coming, shown + 1));
        }
    }

    /// Whether more cards are to be shown.
    pub fn has_more(&self) -> bool {
        self.coming.is_some()
    }

    /// Shows a complaint about a typed text that cannot be used as it is.
    pub fn complain(&mut self, words: String) {
        self.complaint = Some(words);
    }

    /// Says that an order has to wait, as it would end the present job, or that there are no data for it. Nothing that
    /// it asked for comes into use.
    pub fn refuse(&mut self) {
        self.is_odd = !self.is_odd;
        let lost = self.lost.clone().filter(|_| self.progress.is_none());
        self.complain(lost.unwrap_or_else(|| say!("Wait until this is done, or stop it first.").into()));
    }

    /// Whether orders about the opened data can be carried out at once.
    pub fn is_free(&self) -> bool {
        self.progress.is_none() && !self.is_lost()
    }

    /// Whether the opened data are lost: the shown pieces can still be read, but no order can follow them.
    pub fn is_lost(&self) -> bool {
        self.lost.is_some()
    }

    /// Whether files that are dropped are added to those that are open. The example gives way to them.
    pub fn adds_dropped(&self) -> bool {
        self.parts.is_some() && !self.is_lost() && !self.in_use.is_example
    }

    /// The choices that the shown pieces follow.
    pub fn in_use(&self) -> Choices {
        self.in_use
    }

    /// The choices to show: those of the present job or, without one, those in use.
    pub fn choices(&self) -> Choices {
        if self.progress.is_some() { self.asked } else { self.in_use }
    }

    /// The options of a list; empty before there are results. The text changes whenever a choice comes to nothing: the
    /// browser would still show that choice if it got the same text.
    pub fn options(&self, part: Part) -> String {
        let text = self.parts().map(|parts| parts[part].clone()).unwrap_or_default();
        text + if self.is_odd { " " } else { "" }
    }

    /// Says that the worker is gone, with the reason if it is known.
    pub fn lose(&mut self, reason: &str) {
        let because = if reason.is_empty() { String::new() } else { format!(" ({reason})") };
        let words = say!("The reader failed{because}. Opening the file again starts a new one.");
        self.lost = Some(words.clone());
        self.apply(self.job, Reply::Failed(words));
        // The new one knows of no choices.
        self.in_use = Choices::default();
    }

    /// Share of the work that is done, from 0 to 1, and the present work in words; `None` if nothing is being done.
    pub fn progress(&self) -> Option<&(f64, String)> {
        self.progress.as_ref()
    }

    /// The last error, in words; `None` once a new job begins.
    pub fn complaint(&self) -> Option<&str> {
        self.complaint.as_deref()
    }

    /// The shown pieces; `None` before anything was shown.
    pub fn parts(&self) -> Option<&Parts> {
        self.parts.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stale_changes_nothing_and_what_fails_loses_nothing() {
        let mut sheet = Sheet::default();
        let first = sheet.begin(Choices::default());
        let parts = Box::new(Parts::from_texts(["a".into()]));
        sheet.apply(first, Reply::Parts(parts));
        assert!(sheet.progress().is_none());
        while sheet.has_more() {
            sheet.show_next();
        }
        let second = sheet.begin(Choices::default());
        sheet.apply(first, Reply::Failed("old".into()));
        assert_eq!((sheet.progress().is_some(), sheet.complaint()), (true, None));
        sheet.apply(second, Reply::Progress { share: 0.5, words: "half".into() });
        assert_eq!(sheet.progress(), Some(&(0.5, "half".into())));
        sheet.apply(second, Reply::Failed("new".into()));
        assert_eq!((sheet.progress(), sheet.complaint()), (None, Some("new")));
        assert_eq!(sheet.parts().map(|parts| parts[Part::Summary].as_str()), Some("a"));
        sheet.begin(Choices::default());
        assert_eq!(sheet.complaint(), None);
        sheet.lose("out of memory");
        assert!(sheet.complaint().is_some_and(|words| words.contains("(out of memory)")));
    }

    #[test]
    fn card_by_card_everything_that_has_come_is_shown() {
        let texts = |word: &str| Parts::from_texts((0..Part::COUNT).map(|place| format!("{word} {place}")));
        let mut sheet = Sheet::default();
        for word in ["old", "new"] {
            let before = sheet.parts().cloned().unwrap_or_default();
            let job = sheet.begin(Choices::default());
            sheet.apply(job, Reply::Parts(Box::new(texts(word))));
            assert_eq!(sheet.parts().cloned().unwrap_or_default(), before, "nothing until it is asked for");
            for card in 0..CARDS.len() {
                assert!(sheet.has_more(), "{card}");
                sheet.show_next();
                let is_new = |text: &String| text.starts_with(word);
                let shown = sheet.parts().cloned().unwrap_or_default().into_texts();
                assert_eq!(shown.iter().all(is_new), card + 1 == CARDS.len(), "{card}");
                assert!(shown.iter().filter(|text| is_new(text)).count() > card, "{card}");
            }
            assert!(!sheet.has_more());
            assert_eq!(sheet.parts(), Some(&texts(word)));
            sheet.show_next();
            assert_eq!(sheet.parts(), Some(&texts(word)), "there is no more");
        }
    }

    /// A choice is in use once its job is done; one that is refused or stopped leaves those before it, and lists show
    /// these again.
    #[test]
    fn only_what_was_done_is_in_use() {
        let rounds = |n_rounds| Choices { rounds: Rounds { n_rounds, ..Rounds::default() }, ..Choices::default() };
        let mut sheet = Sheet::default();
        let job = sheet.begin(rounds(1));
        assert_eq!((sheet.in_use(), sheet.choices()), (Choices::default(), rounds(1)));
        sheet.apply(job, Reply::Parts(Box::default()));
        assert_eq!((sheet.in_use(), sheet.choices()), (rounds(1), rounds(1)));
        let mut texts = vec![sheet.options(Part::Models)];
        let mut is_told = |sheet: &Sheet| {
            let text = sheet.options(Part::Models);
            let is_new = texts.last() != Some(&text);
            texts.push(text);
            is_new
        };
        for reply in [Reply::Stopped, Reply::Failed("no".into())] {
            let job = sheet.begin(rounds(2));
            sheet.refuse();
            assert!(is_told(&sheet) && sheet.complaint().is_some_and(|words| words.starts_with("Wait until")));
            assert_eq!(sheet.choices(), rounds(2), "the job goes on");
            sheet.apply(job, reply);
            assert_eq!(sheet.choices(), rounds(1));
            assert!(is_told(&sheet));
        }
        let job = sheet.begin(rounds(3));
        sheet.apply(job, Reply::Done);
        assert_eq!(sheet.choices(), rounds(3));
        assert!(!is_told(&sheet));
        sheet.lose("");
        assert_eq!(sheet.choices(), Choices::default());
    }

    /// A job may be done before the desk hears of the next one, which then finds nothing to stop, or fails.
    #[test]
    fn what_was_done_before_the_next_order_came_is_shown() {
        let rounds = |n_rounds| Choices { rounds: Rounds { n_rounds, ..Rounds::default() }, ..Choices::default() };
        for (asks, reply) in [(rounds(5), Reply::Done), (rounds(1), Reply::Failed("no".into()))] {
            let mut sheet = Sheet::default();
            let first = sheet.begin(rounds(5));
            let second = sheet.begin(asks);
            sheet.apply(first, Reply::Parts(Box::default()));
            assert!(sheet.has_more() && sheet.progress().is_some());
            sheet.apply(second, reply);
            assert_eq!((sheet.choices(), sheet.progress()), (rounds(5), None));
            let third = sheet.begin(asks);
            sheet.begin(asks);
            sheet.apply(second, Reply::Parts(Box::default()));
            sheet.apply(third, Reply::Done);
            assert!(sheet.progress().is_some());
        }
    }

    #[test]
    fn orders_about_lost_data_are_refused_until_others_are_opened() {
        let mut sheet = Sheet::default();
        let job = sheet.begin(Choices::default());
        sheet.apply(job, Reply::Parts(Box::default()));
        sheet.show_next();
        assert!(sheet.adds_dropped() && !sheet.is_lost());
        sheet.lose("out of memory");
        let job = sheet.begin(Choices::default());
        sheet.apply(job, Reply::Done);
        assert!(sheet.is_lost() && sheet.complaint().is_none() && !sheet.adds_dropped());
        sheet.refuse();
        assert!(sheet.complaint().is_some_and(|words| words.contains("(out of memory)")));
        let job = sheet.begin(Choices { is_example: true, ..Choices::default() });
        sheet.refuse();
        assert!(sheet.complaint().is_some_and(|words| words.starts_with("Wait until")));
        sheet.apply(job, Reply::Parts(Box::default()));
        assert!(!sheet.is_lost() && !sheet.adds_dropped(), "the example gives way");
    }
}
