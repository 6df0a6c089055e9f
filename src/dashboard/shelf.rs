//! What engines work on for the screen, one at a time; what was there before, and what is finished and kept.

/// How many that are finished are kept.
const KEPT: usize = 8;

/// What can lie on a [`Shelf`].
pub trait Shelved: Clone {
    /// What one is asked for by.
    type Wanted: PartialEq;

    /// What it was asked for by.
    fn wanted(&self) -> &Self::Wanted;

    /// Whether it is what is wanted.
    fn answers(&self, wanted: &Self::Wanted) -> bool {
        self.wanted() == wanted
    }

    /// Whether it stays, where it is on screen and is wanted again; otherwise work on it begins anew.
    fn stays(&self) -> bool;

    /// What is seen until something of a new one is known, of the last one on screen and the one before.
    fn stand_in(last: Option<Self>, before: Option<Self>, wanted: &Self::Wanted) -> Option<Self>;
}

/// The one on screen, the one before, and those that are kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Shelf<T> {
    current: Option<T>,
    before: Option<T>,
    kept: Vec<T>,
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self { current: None, before: None, kept: Vec::new() }
    }
}

impl<T: Shelved> Shelf<T> {
    /// This is to be on screen, or nothing. Whether engines have to work for it: not if it is there already, or was kept.
    pub fn want(&mut self, wanted: Option<&T::Wanted>) -> bool {
        let Some(wanted) = wanted else {
            (self.current, self.before) = (None, None);
            return false;
        };
        if self.current.as_ref().is_some_and(|current| current.answers(wanted) && current.stays()) {
            return false;
        }
        let kept = self.kept.iter().find(|kept| kept.answers(wanted)).cloned();
        let is_new = kept.is_none();
        let last = std::mem::replace(&mut self.current, kept);
        let before = self.before.take();
        self.before = if is_new { T::stand_in(last, before, wanted) } else { None };
        is_new
    }

    /// What was asked for last.
    pub fn wanted(&self) -> Option<&T::Wanted> {
        self.current.as_ref().map(T::wanted)
    }

    /// The one on screen is complete: nothing stands in for it any more, and it is kept.
    pub(super) fn keep(&mut self) {
        self.before = None;
        if let Some(current) = &self.current {
            self.kept.insert(0, current.clone());
            self.kept.truncate(KEPT);
        }
    }
}

impl<T> Shelf<T> {
    /// The one on screen.
    pub fn current(&self) -> Option<&T> {
        self.current.as_ref()
    }

    /// What was on screen before, where it stands in for the current one.
    pub fn before(&self) -> Option<&T> {
        self.before.as_ref()
    }

    /// Puts one on screen that has been asked for.
    pub(super) fn put(&mut self, new: T) {
        self.current = Some(new);
    }

    /// The one on screen, to take in what engines say of it.
    pub(super) fn current_mut(&mut self) -> Option<&mut T> {
        self.current.as_mut()
    }

    /// Nothing stands in for the one on screen any more.
    pub(super) fn drop_before(&mut self) {
        self.before = None;
    }

    /// All there are, the one on screen first.
    pub(super) fn all(&self) -> impl Iterator<Item = &T> {
        self.current.iter().chain(&self.before).chain(&self.kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asked for by a number; none stands in for another that is less.
    #[derive(Clone, Debug, PartialEq)]
    struct Thing(i32, bool);

    impl Shelved for Thing {
        type Wanted = i32;

        fn wanted(&self) -> &i32 {
            &self.0
        }

        fn stays(&self) -> bool {
            self.1
        }

        fn stand_in(last: Option<Self>, before: Option<Self>, wanted: &i32) -> Option<Self> {
            last.or(before).filter(|thing| thing.0 <= *wanted)
        }
    }

    #[track_caller]
    fn check(shelf: &Shelf<Thing>, current: Option<i32>, before: Option<i32>) {
        let number = |thing: &Thing| thing.0;
        assert_eq!((shelf.current().map(number), shelf.before().map(number)), (current, before));
    }

    #[test]
    fn what_is_new_is_worked_for_while_another_stands_in() {
        let mut shelf = Shelf::default();
        assert!(shelf.want(Some(&1)));
        shelf.put(Thing(1, true));
        assert!(!shelf.want(Some(&1)), "it is there");
        assert!(shelf.want(Some(&2)));
        check(&shelf, None, Some(1));
        shelf.put(Thing(2, false));
        assert_eq!(shelf.wanted(), Some(&2));
        assert!(shelf.want(Some(&2)), "it does not stay");
        shelf.put(Thing(2, true));
        assert!(shelf.want(Some(&0)));
        check(&shelf, None, None);
        assert!(!shelf.want(None));
        check(&shelf, None, None);
    }

    #[test]
    fn what_is_finished_is_kept_until_there_is_too_much_of_it() {
        let mut shelf = Shelf::default();
        for number in 0..=8 {
            assert!(shelf.want(Some(&number)));
            shelf.put(Thing(number, true));
            shelf.keep();
            check(&shelf, Some(number), None);
        }
        assert!(!shelf.want(Some(&1)));
        check(&shelf, Some(1), None);
        assert_eq!(shelf.all().count(), 1 + KEPT);
        assert!(shelf.want(Some(&0)), "the oldest is gone");
    }
}
