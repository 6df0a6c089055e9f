//! Encodes values as numbers, in the order of their fields, and decodes them: the trait, and the types that all
//! messages consist of. The project's own types follow in [`types`](super::types).

use std::ops::Range;

use super::WireError;
use crate::sim::Matrix;

/// A type that can be written as numbers and read back.
pub(super) trait Wire: Sized {
    fn put(&self, to: &mut Vec<f64>);
    fn take(from: &mut Reader<'_>) -> Result<Self, WireError>;
}

/// Reads numbers from the front.
pub(super) struct Reader<'a>(&'a [f64]);

impl<'a> Reader<'a> {
    pub(super) fn new(numbers: &'a [f64]) -> Self {
        Self(numbers)
    }

    pub(super) fn number(&mut self) -> Result<f64, WireError> {
        let (first, rest) = self.0.split_first().ok_or(WireError)?;
        self.0 = rest;
        Ok(*first)
    }

    pub(super) fn u32(&mut self) -> Result<u32, WireError> {
        let number = self.number()?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "compared right after")]
        let whole = number as u32;
        (f64::from(whole).to_bits() == number.to_bits()).then_some(whole).ok_or(WireError)
    }

    /// A whole number up to 2⁵³, such as N·T.
    fn whole(&mut self) -> Result<u64, WireError> {
        let number = self.number()?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "compared right after")]
        let whole = number as u64;
        ((whole as f64).to_bits() == number.to_bits()).then_some(whole).ok_or(WireError)
    }

    pub(super) fn count(&mut self) -> Result<usize, WireError> {
        self.u32().map(|count| count as usize)
    }

    /// The length of a list whose items take at least one number each: at most the count of the remaining numbers.
    fn len(&mut self) -> Result<usize, WireError> {
        let len = self.count()?;
        (len <= self.0.len()).then_some(len).ok_or(WireError)
    }

    pub(super) fn finish(self) -> Result<(), WireError> {
        if self.0.is_empty() { Ok(()) } else { Err(WireError) }
    }
}

/// A struct as its fields, one after the other.
macro_rules! record {
    ($type:ty { $($field:ident),* $(,)? }) => {
        impl Wire for $type {
            fn put(&self, to: &mut Vec<f64>) {
                $(self.$field.put(to);)*
            }

            fn take(from: &mut Reader<'_>) -> Result<Self, WireError> {
                Ok(Self { $($field: Wire::take(from)?),* })
            }
        }
    };
}

/// An enum as a number for the variant, and then its fields.
macro_rules! variants {
    ($type:ty $(where $($parameter:ident),+)? {
        $($tag:literal => $variant:ident $({ $($field:ident),* })? $(($value:ident))?),* $(,)?
    }) => {
        impl $(<$($parameter: Wire),+>)? Wire for $type {
            fn put(&self, to: &mut Vec<f64>) {
                match self {
                    $(Self::$variant $({ $($field),* })? $(($value))? => {
                        to.push(f64::from($tag));
                        $($($field.put(to);)*)?
                        $($value.put(to);)?
                    })*
                }
            }

            fn take(from: &mut Reader<'_>) -> Result<Self, WireError> {
                Ok(match from.u32()? {
                    $($tag => Self::$variant
                        $({ $($field: Wire::take(from)?),* })?
                        $(({ let $value = Wire::take(from)?; $value }))?,)*
                    _ => return Err(WireError),
                })
            }
        }
    };
}

pub(super) use {record, variants};

impl Wire for f64 {
    fn put(&self, to: &mut Vec<f64>) {
        to.push(*self);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, WireError> {
        from.number()
    }
}

impl Wire for bool {
    fn put(&self, to: &mut Vec<f64>) {
        to.push(f64::from(u8::from(*self)));
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, WireError> {
        match from.u32()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(WireError),
        }
    }
}

impl<T: Wire> Wire for Box<T> {
    fn put(&self, to: &mut Vec<f64>) {
        T::put(self, to);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, WireError> {
        T::take(from).map(Self::new)
    }
}

impl Wire for Range<usize> {
    fn put(&self, to: &mut Vec<f64>) {
        self.start.put(to);
        self.end.put(to);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, WireError> {
        Ok(from.count()?..from.count()?)
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn put(&self, to: &mut Vec<f64>) {
        self.0.put(to);
        self.1.put(to);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, WireError> {
        Ok((Wire::take(from)?, Wire::take(from)?))
    }
}

/// Counts in messages are bounded by [`Count::limits`](crate::sim::scenario::Count::limits), far below 2³².
impl Wire for usize {
    fn put(&self, to: &mut Vec<f64>) {
        to.push(*self as f64);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, WireError> {
        from.count()
    }
}

/// Numbers of samples, below 2⁵³.
impl Wire for u64 {
    fn put(&self, to: &mut Vec<f64>) {
        to.push(*self as f64);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, WireError> {
        from.whole()
    }
}

variants!(Option<T> where T { 0 => None, 1 => Some(value) });
variants!(Result<T, E> where T, E { 0 => Ok(value), 1 => Err(error) });

impl<T: Wire> Wire for Vec<T> {
    fn put(&self, to: &mut Vec<f64>) {
        self.len().put(to);
        for value in self {
            value.put(to);
        }
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, WireError> {
        (0..from.len()?).map(|_| T::take(from)).collect()
    }
}

impl Wire for Matrix {
    fn put(&self, to: &mut Vec<f64>) {
        self.nrows().put(to);
        self.ncols().put(to);
        to.extend(self.iter());
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, WireError> {
        let (rows, cols) = (from.count()?, from.count()?);
        let len = rows.checked_mul(cols).filter(|&len| len <= from.0.len()).ok_or(WireError)?;
        let (entries, rest) = from.0.split_at(len);
        from.0 = rest;
        Ok(Self::from_column_slice(rows, cols, entries))
    }
}
