//! Gestures of a pointer on a map: it drags the handle, taps a point, or only passes over.

/// State of a pointer between two events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pointer {
    /// It passes over the map, or is elsewhere.
    #[default]
    Passing,
    /// It drags the handle.
    Holding,
    /// It is a finger beside the handle: it either taps, or scrolls the page, in which case the browser cancels the
    /// pointer.
    Tapping,
}

impl Pointer {
    /// The pointer goes down: `is_within` the map's axes or not; `is_beside` if it is a finger that is not on the
    /// handle. Returns whether it drags the handle from now on.
    pub fn press(&mut self, is_within: bool, is_beside: bool) -> bool {
        if is_within {
            *self = if is_beside { Self::Tapping } else { Self::Holding };
        }
        is_within && !is_beside
    }

    /// The pointer goes up. Returns whether the handle jumps to this point.
    pub fn release(&mut self) -> bool {
        std::mem::take(self) == Self::Tapping
    }

    /// Whether the pointer drags the handle.
    pub fn holds(self) -> bool {
        self == Self::Holding
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks a press and a release: whether the handle moves at the press, in between, and at the release.
    #[track_caller]
    fn check(is_within: bool, is_beside: bool, expected: [bool; 3]) {
        let mut pointer = Pointer::default();
        assert_eq!([pointer.press(is_within, is_beside), pointer.holds(), pointer.release()], expected);
        assert_eq!(pointer, Pointer::Passing);
    }

    #[test]
    fn a_mouse_drags_from_anywhere_on_the_map_and_a_finger_from_the_handle() {
        check(true, false, [true, true, false]);
        check(true, true, [false, false, true]);
        for is_beside in [false, true] {
            check(false, is_beside, [false, false, false]);
        }
    }

    #[test]
    fn a_finger_that_scrolls_is_taken_away_and_leaves_the_handle_where_it_is() {
        let mut pointer = Pointer::default();
        pointer.press(true, true);
        pointer = Pointer::default();
        assert!(!pointer.release());
    }
}
