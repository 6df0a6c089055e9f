//! The clients of one data set, eight side by side.

use super::lanes::{LANES, LaneMatrix, Lanes};
use super::moments::Moments;
use super::system::Dims;

/// Eight clients' moments. In the last block of a fleet some lanes may be empty.
#[derive(Clone, Debug)]
pub struct Block {
    /// Gram matrices `S_i`, d×d.
    pub s: LaneMatrix,
    /// Cross moments `C_i`, n×d.
    pub c: LaneMatrix,
    /// 1 where there is a client, 0 where there is none.
    pub present: Lanes,
    /// Samples of each client.
    pub n_samples: [u64; LANES],
}

impl Block {
    fn empty(dims: Dims) -> Self {
        let d = dims.n_regressors();
        Self {
            s: LaneMatrix::zeros(d, d),
            c: LaneMatrix::zeros(dims.n_states, d),
            present: Lanes::default(),
            n_samples: [0; LANES],
        }
    }

    /// One client's moments.
    pub fn moments(&self, lane: usize) -> Moments {
        Moments { s: self.s.lane(lane), c: self.c.lane(lane), n_samples: self.n_samples[lane] }
    }
}

/// The clients of one data set.
#[derive(Clone, Debug)]
pub struct Fleet {
    dims: Dims,
    n_clients: usize,
    blocks: Vec<Block>,
}

impl Fleet {
    /// A fleet of no clients.
    pub fn new(dims: Dims) -> Self {
        Self { dims, n_clients: 0, blocks: Vec::new() }
    }

    /// Adds a client; the first is client 1.
    pub fn add(&mut self, moments: &Moments) {
        let lane = self.n_clients % LANES;
        if lane == 0 {
            self.blocks.push(Block::empty(self.dims));
        }
        if let Some(block) = self.blocks.last_mut() {
            block.s.set_lane(lane, &moments.s);
            block.c.set_lane(lane, &moments.c);
            block.present.0[lane] = 1.0;
            block.n_samples[lane] = moments.n_samples;
        }
        self.n_clients += 1;
    }

    /// The sizes n and p.
    pub fn dims(&self) -> Dims {
        self.dims
    }

    /// How many clients there are.
    pub fn n_clients(&self) -> usize {
        self.n_clients
    }

    /// The clients, eight at a time.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The sum of all clients' moments.
    pub fn total(&self) -> Moments {
        let mut total = Moments::zeros(self.dims);
        for block in &self.blocks {
            block.s.add_weighted_sum(block.present, &mut total.s);
            block.c.add_weighted_sum(block.present, &mut total.c);
            total.n_samples += block.n_samples.iter().sum::<u64>();
        }
        total
    }
}
