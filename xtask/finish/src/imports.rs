//! Short names for what a module gets from its glue. Each name has a hash in it, which does not compress, in both.

use std::collections::HashMap;

use wasmparser::{Parser, Payload, Result};

/// The short name of every import that its glue names just once.
///
/// # Errors
/// If it is no module.
pub(crate) fn short_names(module: &[u8], glue: &str) -> Result<HashMap<String, String>> {
    let mut names = HashMap::new();
    for payload in Parser::new(0).parse_all(module) {
        if let Payload::ImportSection(imports) = payload? {
            for (number, import) in imports.into_imports().enumerate() {
                let name = import?.name;
                // Nothing else has an underscore at its beginning and at its end.
                let short = format!("_{number}_");
                if glue.matches(name).count() == 1 && short.len() < name.len() {
                    names.insert(name.to_owned(), short);
                }
            }
        }
    }
    Ok(names)
}

/// The glue with these names.
pub(crate) fn renamed(glue: &str, names: &HashMap<String, String>) -> String {
    names.iter().fold(glue.to_owned(), |glue, (name, short)| glue.replacen(name, short, 1))
}

#[cfg(test)]
mod tests {
    use wasm_encoder::{EntityType, ImportSection, Module, TypeSection};

    use super::*;

    #[test]
    fn only_what_the_glue_names_once_has_a_short_name() {
        let mut types = TypeSection::new();
        types.ty().function([], []);
        let mut imports = ImportSection::new();
        for name in ["__wbg_focus_0123456789abcdef", "__wbg_blur_0123456789abcdef", "memory_of_the_page", "f"] {
            imports.import("./live_bg.js", name, EntityType::Function(0));
        }
        let mut module = Module::new();
        module.section(&types).section(&imports);
        let glue = "{__wbg_focus_0123456789abcdef:a=>a.focus(),__wbg_blur_0123456789abcdef:a=>a.blur(),f:b}\
                    memory_of_the_page, memory_of_the_page";
        let names = short_names(&module.finish(), glue).unwrap();
        assert_eq!(names.len(), 2, "{names:?}");
        let expected = "{_0_:a=>a.focus(),_1_:a=>a.blur(),f:b}memory_of_the_page, memory_of_the_page";
        assert_eq!(renamed(glue, &names), expected);
    }
}
