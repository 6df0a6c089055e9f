//! What people do with the page, and what they then see. One browser a story.

mod access; // for everybody: axe, keys, targets, narrow screens, other scripts, what is said aloud
mod address; // the link in the address bar, presets, algorithms
mod canvas; // sharp at every pixel ratio
mod data; // own files
mod download; // how much it is
mod embedding; // in a frame of another page
mod exports; // charts taken away
mod keeping; // pins, undo, back and forward, scenario files
mod keyboard; // everything without a mouse
mod languages; // German
mod lessons; // lessons and classes
mod links; // what a bad link gets
mod long_use; // what the page keeps in the long run
mod numbers; // every number, to the last bit
mod places; // sub-paths, strict policies, sandboxed frames, one file, no network
mod pointer; // mouse and fingers
mod requests; // none leaves the page's server
mod stillness; // nothing moves about
mod sweeps; // many experiments at once
mod systems; // own systems: typed, pasted, from examples
mod theory; // predictions, badges, cards
mod views; // Trade-off, Map, Paper, a round in slow motion
mod words; // what does not work is said
mod workers; // workers that die, or never come up
