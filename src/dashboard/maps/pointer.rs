//! What a pointer does on a map: it drags the handle, taps a place, or only passes over.

/// A pointer, between one event and the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pointer {
    /// It passes over the map, or is elsewhere.
    #[default]
    Passing,
    /// It holds the handle, which follows it wherever it goes.
    Holding,
    /// It is a finger beside the handle: it taps, or scrolls the page, of which the browser tells by taking it away.
    Tapping,
}

impl Pointer {
    /// It goes down, within the map's axes or not; `is_beside`: it is a finger that is not on the handle. Whether the handle
    /// follows it from here on.
    pub fn press(&mut self, is_within: bool, is_beside: bool) -> bool {
        if is_within {
            *self = if is_beside { Self::Tapping } else { Self::Holding };
        }
        is_within && !is_beside
    }

    /// It goes up. Whether the handle goes there, once.
    pub fn release(&mut self) -> bool {
        std::mem::take(self) == Self::Tapping
    }

    /// Whether the handle follows it.
    pub fn holds(self) -> bool {
        self == Self::Holding
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes of a press and a release: whether the handle goes to the first place, between them, and to the last.
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
