//! What mouse, fingers and keys do, in the terms of WebDriver's actions.

use serde_json::{Value, json};
use thirtyfour::Key;

/// A point in CSS pixels from the window's corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spot {
    /// To the right.
    pub x: f64,
    /// Downwards.
    pub y: f64,
}

impl Spot {
    /// The point `x` to the right and `y` below.
    #[must_use]
    pub fn moved(self, x: f64, y: f64) -> Self {
        Self { x: self.x + x, y: self.y + y }
    }
}

/// A sequence of actions of one device.
#[derive(Clone, Debug)]
pub struct Gesture {
    source: Value,
    actions: Vec<Value>,
}

impl Gesture {
    /// The mouse.
    pub fn mouse() -> Self {
        Self::of(json!({ "type": "pointer", "id": "mouse", "parameters": { "pointerType": "mouse" } }))
    }

    /// A finger.
    pub fn finger() -> Self {
        Self::of(json!({ "type": "pointer", "id": "finger", "parameters": { "pointerType": "touch" } }))
    }

    /// The keyboard.
    pub fn keys() -> Self {
        Self::of(json!({ "type": "key", "id": "keys" }))
    }

    fn of(source: Value) -> Self {
        Self { source, actions: Vec::new() }
    }

    fn then(mut self, action: Value) -> Self {
        self.actions.push(action);
        self
    }

    /// Moves the pointer to a point, which takes some milliseconds.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "pixels of a screen")]
    pub fn to(self, spot: Spot, ms: u32) -> Self {
        let (x, y) = (spot.x.round() as i64, spot.y.round() as i64);
        self.then(json!({ "type": "pointerMove", "duration": ms, "x": x, "y": y, "origin": "viewport" }))
    }

    /// Moves the pointer to a point in a straight line, in steps of one frame.
    #[must_use]
    pub fn glide(self, from: Spot, to: Spot, steps: u32) -> Self {
        let at = |step: u32| f64::from(step) / f64::from(steps);
        let spot = |step| from.moved((to.x - from.x) * at(step), (to.y - from.y) * at(step));
        (1..=steps).fold(self, |gesture, step| gesture.to(spot(step), FRAME_MS))
    }

    /// Presses the button, or puts the finger down.
    #[must_use]
    pub fn down(self) -> Self {
        self.then(json!({ "type": "pointerDown", "button": 0 }))
    }

    /// Releases the button, or lifts the finger.
    #[must_use]
    pub fn up(self) -> Self {
        self.then(json!({ "type": "pointerUp", "button": 0 }))
    }

    /// Presses a key and releases it.
    #[must_use]
    pub fn key(self, key: char) -> Self {
        self.then(json!({ "type": "keyDown", "value": key })).then(json!({ "type": "keyUp", "value": key }))
    }

    /// Presses a key while others are held.
    #[must_use]
    pub fn chord(self, held: &[Key], key: char) -> Self {
        let down = |gesture: Self, key: &Key| gesture.then(json!({ "type": "keyDown", "value": key.value() }));
        let up = |gesture: Self, key: &Key| gesture.then(json!({ "type": "keyUp", "value": key.value() }));
        let pressed = held.iter().fold(self, down).key(key);
        held.iter().rev().fold(pressed, up)
    }

    /// The parameter of WebDriver's "perform actions".
    pub fn actions(self) -> Value {
        let mut source = self.source;
        source["actions"] = Value::Array(self.actions);
        json!([source])
    }
}

/// Milliseconds of a frame.
const FRAME_MS: u32 = 16;
