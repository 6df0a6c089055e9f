//! The Data view's side of the desk: what has come back.

use super::markup::Parts;

/// What the desk says.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// Work goes on.
    Progress {
        /// The share done, 0 to 1.
        share: f64,
        /// At what.
        words: String,
    },
    /// What is to be shown.
    Parts(Box<Parts>),
    /// It cannot be done, and why. What was shown before stays.
    Failed(String),
    /// It was stopped. What was shown before stays.
    Stopped,
    /// It is done, and there is nothing to show.
    Done,
}

/// What is on screen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheet {
    job: u32,
    progress: Option<(f64, String)>,
    complaint: Option<String>,
    parts: Option<Box<Parts>>,
}

impl Sheet {
    /// A job is begun; its number. What older ones still say is stale.
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
                self.parts = Some(parts);
                None
            }
            Reply::Failed(words) => {
                self.complaint = Some(words);
                None
            }
            Reply::Stopped => {
                self.complaint = Some("Stopped. What was here before stays.".into());
                None
            }
            Reply::Done => None,
        };
        self.progress = progress;
    }

    /// Something that was typed cannot be used as it is.
    pub fn complain(&mut self, words: String) {
        self.complaint = Some(words);
    }

    /// Whoever was at work is gone.
    pub fn lose(&mut self, reason: &str) {
        let because = if reason.is_empty() { String::new() } else { format!(" ({reason})") };
        // What was opened is gone with it; what is shown can still be read.
        self.apply(
            self.job,
            Reply::Failed(format!("The reader failed{because}. Opening the file again starts a new one.")),
        );
    }

    /// How far work is, and at what, while it goes on.
    pub fn progress(&self) -> Option<&(f64, String)> {
        self.progress.as_ref()
    }

    /// What went wrong last.
    pub fn complaint(&self) -> Option<&str> {
        self.complaint.as_deref()
    }

    /// What is shown.
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
        let first = sheet.begin();
        let parts = Box::new(Parts { summary: "a".into(), ..Parts::default() });
        sheet.apply(first, Reply::Parts(parts));
        assert!(sheet.progress().is_none());
        let second = sheet.begin();
        sheet.apply(first, Reply::Failed("old".into()));
        assert_eq!((sheet.progress().is_some(), sheet.complaint()), (true, None));
        sheet.apply(second, Reply::Progress { share: 0.5, words: "half".into() });
        assert_eq!(sheet.progress(), Some(&(0.5, "half".into())));
        sheet.apply(second, Reply::Failed("new".into()));
        assert_eq!((sheet.progress(), sheet.complaint()), (None, Some("new")));
        assert_eq!(sheet.parts().map(|parts| parts.summary.as_str()), Some("a"));
        sheet.begin();
        assert_eq!(sheet.complaint(), None);
        sheet.lose("out of memory");
        assert!(sheet.complaint().is_some_and(|words| words.contains("(out of memory)")));
    }
}
