//! Writes rollouts as rows of the CSV that [`reader`](crate::reader) reads.

use fedsysid_sim::samples::Samples;

use crate::Dims;
use crate::moments_file::put;

/// The header line of a file for systems with n states and p inputs.
pub fn header(dims: Dims) -> String {
    let numbered = |letter: char, count: usize| (1..=count).map(move |number| format!(",{letter}{number}"));
    let names = numbered('x', dims.n_states).chain(numbered('u', dims.n_inputs));
    format!("client,rollout,t{}\n", names.collect::<String>())
}

/// One client's rollouts of `rollout_len` steps each, as rows from t = 0 on. The last row of each has only the last
/// state.
pub fn rows(client: &str, samples: &Samples, rollout_len: usize) -> String {
    let mut text = String::new();
    let n = samples.next.nrows();
    let n_inputs = samples.z.nrows() - n;
    let begin = |text: &mut String, rollout: usize, t: usize| {
        text.push_str(client);
        for number in [rollout + 1, t] {
            text.push(',');
            text.push_str(&number.to_string());
        }
    };
    let add = |text: &mut String, values: &[f64]| {
        for value in values {
            text.push(',');
            put(text, *value);
        }
    };
    for (column, z) in samples.z.column_iter().enumerate() {
        let (rollout, t) = (column / rollout_len, column % rollout_len);
        begin(&mut text, rollout, t);
        add(&mut text, z.as_slice());
        text.push('\n');
        if t + 1 == rollout_len {
            begin(&mut text, rollout, rollout_len);
            add(&mut text, samples.next.column(column).as_slice());
            text.extend(std::iter::repeat_n(',', n_inputs));
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Matrix;

    #[test]
    fn rollouts_end_with_a_state_and_no_input() {
        let samples = Samples {
            z: Matrix::from_row_slice(2, 4, &[1.0, 2.0, 3.0, 4.0, 0.5, -0.5, 1e-9, 0.1]),
            next: Matrix::from_row_slice(1, 4, &[2.0, 7.0, 4.0, 1e20]),
        };
        let expected = "A,1,0,1,0.5\nA,1,1,2,-0.5\nA,1,2,7,\nA,2,0,3,1e-9\nA,2,1,4,0.1\nA,2,2,1e20,\n";
        assert_eq!(rows("A", &samples, 2), expected);
        assert_eq!(header(Dims { n_states: 1, n_inputs: 2 }), "client,rollout,t,x1,u1,u2\n");
    }
}
