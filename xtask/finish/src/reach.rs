//! Which functions are reachable from outside: exports, tables, and what these call.
//!
//! Whatever a library exports is kept by the tools before, whether anybody calls it or not.

use wasmparser::{ElementItems, ExternalKind, Operator, OperatorsReader, Parser, Payload, Result};

/// Classes by which Rust's streams would become the browser's, as answers of servers do. The page has no server: it makes none,
/// and nobody calls their methods.
const UNMADE: [&str; 3] = ["intounderlyingbytesource_", "intounderlyingsink_", "intounderlyingsource_"];

/// Whether an export is of a class that the page makes nothing of.
pub(crate) fn is_unmade(export: &str) -> bool {
    let method = export.trim_start_matches("__wbg_");
    UNMADE.iter().any(|class| method.starts_with(class))
}

/// Which functions are reachable, imported ones first, as their numbers are.
///
/// # Errors
/// If it is no module.
pub(crate) fn reached(module: &[u8], n_functions: usize) -> Result<Vec<bool>> {
    let (mut open, mut bodies) = (Vec::new(), Vec::new());
    for payload in Parser::new(0).parse_all(module) {
        match payload? {
            Payload::ExportSection(exports) => {
                for export in exports {
                    let export = export?;
                    let is_function = matches!(export.kind, ExternalKind::Func | ExternalKind::FuncExact);
                    open.extend((is_function && !is_unmade(export.name)).then_some(export.index));
                }
            }
            Payload::StartSection { func, .. } => open.push(func),
            Payload::GlobalSection(globals) => {
                for global in globals {
                    mentioned(global?.init_expr.get_operators_reader(), &mut open)?;
                }
            }
            Payload::ElementSection(elements) => {
                for element in elements {
                    match element?.items {
                        ElementItems::Functions(functions) => {
                            for function in functions {
                                open.push(function?);
                            }
                        }
                        ElementItems::Expressions(_, all) => {
                            for expression in all {
                                mentioned(expression?.get_operators_reader(), &mut open)?;
                            }
                        }
                    }
                }
            }
            Payload::CodeSectionEntry(body) => bodies.push(body),
            _ => {}
        }
    }
    let imported = n_functions - bodies.len();
    let mut is_reached = vec![false; n_functions];
    while let Some(function) = open.pop() {
        let function = function as usize;
        if is_reached.get_mut(function).is_some_and(|is_reached| !std::mem::replace(is_reached, true))
            && let Some(body) = function.checked_sub(imported).and_then(|own| bodies.get(own))
        {
            mentioned(body.get_operators_reader()?, &mut open)?;
        }
    }
    Ok(is_reached)
}

/// The functions that are called, or taken as values.
fn mentioned(code: OperatorsReader<'_>, functions: &mut Vec<u32>) -> Result<()> {
    for word in code {
        match word? {
            Operator::Call { function_index }
            | Operator::ReturnCall { function_index }
            | Operator::RefFunc { function_index } => functions.push(function_index),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_classes_of_streams_are_unmade() {
        for (export, expected) in [
            ("intounderlyingsource_pull", true),
            ("__wbg_intounderlyingsink_free", true),
            ("intounderlyingbytesource_autoAllocateChunkSize", true),
            ("main", false),
            ("memory", false),
            ("__wbg_figure_free", false),
            ("__wbindgen_export", false),
        ] {
            assert_eq!(is_unmade(export), expected, "{export}");
        }
    }
}
