//! The Data view's side of the desk: what has come back.

use super::parts::{CARDS, Parts};
use fedsysid_say::say;

/// What the desk says.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// The work goes on.
    Progress {
        /// The share of the work that is done, from 0 to 1.
        share: f64,
        /// What is being done, in words.
        words: String,
    },
    /// The work is done, and this is to be shown.
    Parts(Box<Parts>),
    /// The work cannot be done, for this reason in words. What was shown before stays.
    Failed(String),
    /// The work was stopped. What was shown before stays.
    Stopped,
    /// The work is done, and there is nothing to show.
    Done,
}

/// What the page shows of opened data, and how far the work on them is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheet {
    job: u32,
    progress: Option<(f64, String)>,
    complaint: Option<String>,
    parts: Option<Box<Parts>>,
    /// What is to be shown, and how many of its cards are shown already.
    coming: Option<(Box<Parts>, usize)>,
}

impl Sheet {
    /// Begins a job, and gives its number. What older ones still say is stale.
    pub fn begin(&mut self) -> u32 {
        self.job += 1;
        (self.progress, self.complaint) = (Some((0.0, String::new())), None);
        self.job
    }

    /// Takes in what the desk says of a job.
    pub fn apply(&mut self, job: u32, reply: Reply) {
        if job != self.job {
            return;
        }
        let progress = match reply {
            Reply::Progress { share, words } => Some((share, words)),
            Reply::Parts(parts) => {
                self.coming = Some((parts, 0));
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

    /// Shows the next card of what has come, if there is one: all cards of a large file at once would take the browser
    /// longer than a frame.
    pub fn show_next(&mut self) {
        let Some((mut coming, shown)) = self.coming.take() else { return };
        self.parts.get_or_insert_default().take_card(shown, &mut coming);
        if shown + 1 < CARDS.len() {
            self.coming = Some((coming, shown + 1));
        }
    }

    /// Whether there is more to be shown.
    pub fn has_more(&self) -> bool {
        self.coming.is_some()
    }

    /// Shows a complaint: something that was typed cannot be used as it is.
    pub fn complain(&mut self, words: String) {
        self.complaint = Some(words);
    }

    /// Says that whoever was at work is gone, with the reason if one is known.
    pub fn lose(&mut self, reason: &str) {
        let because = if reason.is_empty() { String::new() } else { format!(" ({reason})") };
        // What was opened is gone with it; what is shown can still be read.
        self.apply(
            self.job,
            Reply::Failed(say!("The reader failed{because}. Opening the file again starts a new one.")),
        );
    }

    /// The share of the work that is done, from 0 to 1, and what is being done; none while there is no work.
    pub fn progress(&self) -> Option<&(f64, String)> {
        self.progress.as_ref()
    }

    /// What went wrong last, in words; none once a new job is begun.
    pub fn complaint(&self) -> Option<&str> {
        self.complaint.as_deref()
    }

    /// The pieces that are shown; none before anything was opened.
    pub fn parts(&self) -> Option<&Parts> {
        self.parts.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::data::parts::Part;

    #[test]
    fn what_is_stale_changes_nothing_and_what_fails_loses_nothing() {
        let mut sheet = Sheet::default();
        let first = sheet.begin();
        let parts = Box::new(Parts::from_texts(["a".into()]));
        sheet.apply(first, Reply::Parts(parts));
        assert!(sheet.progress().is_none());
        while sheet.has_more() {
            sheet.show_next();
        }
        let second = sheet.begin();
        sheet.apply(first, Reply::Failed("old".into()));
        assert_eq!((sheet.progress().is_some(), sheet.complaint()), (true, None));
        sheet.apply(second, Reply::Progress { share: 0.5, words: "half".into() });
        assert_eq!(sheet.progress(), Some(&(0.5, "half".into())));
        sheet.apply(second, Reply::Failed("new".into()));
        assert_eq!((sheet.progress(), sheet.complaint()), (None, Some("new")));
        assert_eq!(sheet.parts().map(|parts| parts[Part::Summary].as_str()), Some("a"));
        sheet.begin();
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
            let job = sheet.begin();
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
}
