//! A cache of results that engines compute for the screen, one at a time: the current one, the one before, and the last
//! complete ones.

/// Maximum number of kept results.
const KEPT: usize = 8;

/// A result that a [`Cache`] keeps.
pub trait Cached: Clone {
    /// Request for a result.
    type Wanted: PartialEq;

    /// The request of this result.
    fn wanted(&self) -> &Self::Wanted;

    /// Whether it answers a request.
    fn answers(&self, wanted: &Self::Wanted) -> bool {
        self.wanted() == wanted
    }

    /// Whether it stays on screen when it is requested again; otherwise it is computed anew.
    fn stays(&self) -> bool;

    /// The result to show while a new one is empty: the last one on screen, or the one before it.
    fn stand_in(last: Option<Self>, before: Option<Self>, wanted: &Self::Wanted) -> Option<Self>;
}

/// The current result, the one that stands in for it, and the kept ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Cache<T> {
    current: Option<T>,
    before: Option<T>,
    kept: Vec<T>,
}

impl<T> Default for Cache<T> {
    fn default() -> Self {
        Self { current: None, before: None, kept: Vec::new() }
    }
}

impl<T: Cached> Cache<T> {
    /// Requests a result for the screen, or none. Returns whether engines have to compute it: not if it is on screen or
    /// kept.
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

    /// The current request.
    pub fn wanted(&self) -> Option<&T::Wanted> {
        self.current.as_ref().map(T::wanted)
    }

    /// Keeps the current result, which is complete; nothing stands in for it any more.
    pub(crate) fn keep(&mut self) {
        self.before = None;
        if let Some(current) = &self.current {
            self.kept.insert(0, current.clone());
            self.kept.truncate(KEPT);
        }
    }
}

impl<T> Cache<T> {
    /// The current result.
    pub fn current(&self) -> Option<&T> {
        self.current.as_ref()
    }

    /// The earlier result, while it stands in for the current one.
    pub fn before(&self) -> Option<&T> {
        self.before.as_ref()
    }

    /// Puts a requested result on screen.
    pub(crate) fn put(&mut self, new: T) {
        self.current = Some(new);
    }

    /// The current result, to apply an engine's events to it.
    pub(crate) fn current_mut(&mut self) -> Option<&mut T> {
        self.current.as_mut()
    }

    /// Drops the result that stands in for the current one.
    pub(crate) fn drop_before(&mut self) {
        self.before = None;
    }

    /// All results, the current one first.
    pub(crate) fn all(&self) -> impl Iterator<Item = &T> {
        self.current.iter().chain(&self.before).chain(&self.kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A result that is requested by its number, and whether it stays. It stands in for larger numbers only.
    #[derive(Clone, Debug, PartialEq)]
    struct Thing(i32, bool);

    impl Cached for Thing {
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
    fn check(cache: &Cache<Thing>, current: Option<i32>, before: Option<i32>) {
        let number = |thing: &Thing| thing.0;
        assert_eq!((cache.current().map(number), cache.before().map(number)), (current, before));
    }

    #[test]
    fn what_is_new_is_worked_for_while_another_stands_in() {
        let mut cache = Cache::default();
        assert!(cache.want(Some(&1)));
        cache.put(Thing(1, true));
        assert!(!cache.want(Some(&1)), "it is there");
        assert!(cache.want(Some(&2)));
        check(&cache, None, Some(1));
        cache.put(Thing(2, false));
        assert_eq!(cache.wanted(), Some(&2));
        assert!(cache.want(Some(&2)), "it does not stay");
        cache.put(Thing(2, true));
        assert!(cache.want(Some(&0)));
        check(&cache, None, None);
        assert!(!cache.want(None));
        check(&cache, None, None);
    }

    #[test]
    fn what_is_finished_is_kept_until_there_is_too_much_of_it() {
        let mut cache = Cache::default();
        for number in 0..=8 {
            assert!(cache.want(Some(&number)));
            cache.put(Thing(number, true));
            cache.keep();
            check(&cache, Some(number), None);
        }
        assert!(!cache.want(Some(&1)));
        check(&cache, Some(1), None);
        assert_eq!(cache.all().count(), 1 + KEPT);
        assert!(cache.want(Some(&0)), "the oldest is gone");
    }
}
