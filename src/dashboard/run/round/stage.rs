//! The stages of a round.

/// Stage that a frame shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The server's model has reached the clients.
    Start,
    /// This number of local steps is done.
    Step(usize),
    /// The clients upload their models.
    Upload,
    /// The server takes their mean.
    Average,
    /// The server sends the mean to the clients as the new model.
    Broadcast,
}
