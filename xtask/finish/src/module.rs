//! The wasm module, with its reachable functions alone, in an order that compresses well.

use std::collections::HashMap;
use std::fmt::Display;
use std::fs;
use std::io::{Error, Result};
use std::path::Path;

use wasm_encoder::reencode::{Error as Fault, Reencode, utils};
use wasm_encoder::{CodeSection, ExportSection, FunctionSection, ImportSection, MemArg, Module};
use wasmparser::{
    CodeSectionReader, CustomSectionReader, Export, FunctionSectionReader, Import, ImportSectionReader, KnownCustom,
    Parser, Payload, TypeRef, Validator,
};

use crate::{alike, imports, reach};

/// Rewrites the module of a built page, and in the glue beside it the names that both have.
pub(crate) fn pack(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let stem = path.file_name().and_then(|name| name.to_str()?.strip_suffix("_bg.wasm"));
        if let Some(stem) = stem {
            let at_fault = |fault: &dyn Display| Error::other(format!("{}: {fault}", path.display()));
            let (module, beside) = (fs::read(&path)?, folder.join(format!("{stem}.js")));
            let glue = fs::read_to_string(&beside).map_err(|fault| at_fault(&fault))?;
            let names = imports::short_names(&module, &glue).map_err(|fault| at_fault(&fault))?;
            let packed = reordered(&module, &names).map_err(|fault| at_fault(&fault))?;
            fs::write(beside, imports::renamed(&glue, &names))?;
            fs::write(&path, packed)?;
        }
    }
    Ok(())
}

/// The same module with like functions beside each other, without unreachable ones, without names of functions,
/// which only numbers would match, and with other names of what it imports.
fn reordered(module: &[u8], names: &HashMap<String, String>) -> std::result::Result<Vec<u8>, String> {
    let (imported, bodies) = functions(module).map_err(|fault| fault.to_string())?;
    let is_reached = reach::reached(module, imported as usize + bodies.len()).map_err(|fault| fault.to_string())?;
    let mut order = alike::order(&bodies);
    order.retain(|&function| is_reached[imported as usize + function]);
    let mut places = vec![0; bodies.len()];
    for (place, &function) in order.iter().enumerate() {
        places[function] = imported + u32::try_from(place).map_err(|fault| fault.to_string())?;
    }
    let mut encoded = Module::new();
    Reordered { order, places, imported, names }
        .parse_core_module(&mut encoded, Parser::new(0), module)
        .map_err(|fault| fault.to_string())?;
    let encoded = encoded.finish();
    Validator::new().validate_all(&encoded).map_err(|fault| fault.to_string())?;
    Ok(encoded)
}

/// How many functions a module imports, and the bodies of its own.
fn functions(module: &[u8]) -> wasmparser::Result<(u32, Vec<&[u8]>)> {
    let (mut imported, mut bodies) = (0, Vec::new());
    for payload in Parser::new(0).parse_all(module) {
        match payload? {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    if matches!(import?.ty, TypeRef::Func(_) | TypeRef::FuncExact(_)) {
                        imported += 1;
                    }
                }
            }
            Payload::CodeSectionEntry(body) => bodies.push(body.as_bytes()),
            _ => {}
        }
    }
    Ok((imported, bodies))
}

/// Writes a module with its functions in another order, and without some.
struct Reordered<'a> {
    /// The old numbers of those that stay, imported ones not counted, in their new order.
    order: Vec<usize>,
    /// The new number of each that stays, imported ones counted.
    places: Vec<u32>,
    imported: u32,
    names: &'a HashMap<String, String>,
}

impl Reordered<'_> {
    fn in_order<T>(&self, items: impl Iterator<Item = wasmparser::Result<T>>) -> std::result::Result<Vec<T>, Fault> {
        let mut items: Vec<Option<T>> = items.map(|item| item.map(Some)).collect::<wasmparser::Result<_>>()?;
        Ok(self.order.iter().filter_map(|&function| items.get_mut(function)?.take()).collect())
    }
}

impl Reencode for Reordered<'_> {
    type Error = std::convert::Infallible;

    fn function_index(&mut self, function: u32) -> std::result::Result<u32, Fault> {
        let own = function.checked_sub(self.imported);
        Ok(own.and_then(|own| self.places.get(own as usize)).copied().unwrap_or(function))
    }

    /// An alignment is a hint that engines leave aside. Without any, loads and stores are more alike.
    fn mem_arg(&mut self, arg: wasmparser::MemArg) -> std::result::Result<MemArg, Fault> {
        Ok(MemArg { align: 0, ..utils::mem_arg(self, arg)? })
    }

    fn parse_import_section(
        &mut self,
        imports: &mut ImportSection,
        section: ImportSectionReader<'_>,
    ) -> std::result::Result<(), Fault> {
        for import in section.into_imports() {
            let Import { module, name, ty } = import?;
            imports.import(module, self.names.get(name).map_or(name, String::as_str), self.entity_type(ty)?);
        }
        Ok(())
    }

    fn parse_export(&mut self, exports: &mut ExportSection, export: Export<'_>) -> std::result::Result<(), Fault> {
        if reach::is_unmade(export.name) { Ok(()) } else { utils::parse_export(self, exports, export) }
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        section: FunctionSectionReader<'_>,
    ) -> std::result::Result<(), Fault> {
        for kind in self.in_order(section.into_iter())? {
            functions.function(self.type_index(kind)?);
        }
        Ok(())
    }

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        section: CodeSectionReader<'_>,
    ) -> std::result::Result<(), Fault> {
        for body in self.in_order(section.into_iter())? {
            self.parse_function_body(code, body)?;
        }
        Ok(())
    }

    fn parse_custom_section(
        &mut self,
        module: &mut Module,
        section: CustomSectionReader<'_>,
    ) -> std::result::Result<(), Fault> {
        match section.as_known() {
            KnownCustom::Name(_) => Ok(()),
            _ => utils::parse_custom_section(self, module, section),
        }
    }
}

#[cfg(test)]
mod tests {
    use wasm_encoder::{
        ElementSection, Elements, ExportKind, ExportSection, Function, ImportSection, MemorySection, MemoryType,
        RefType, TableSection, TableType, TypeSection,
    };
    use wasmparser::{ElementItems, ExternalKind, Operator};

    use super::*;

    /// Each function says its own number, then calls the next one; the last one calls what is imported. Those of an even number
    /// are alike, and so are the others. All are exported by such names, and may be in a table.
    fn module(n_functions: u32, name: impl Fn(u32) -> String, has_table: bool) -> Vec<u8> {
        let mut types = TypeSection::new();
        types.ty().function([], []);
        let mut imports = ImportSection::new();
        imports.import("page", "hear", wasm_encoder::EntityType::Function(0));
        let (mut functions, mut code, mut exports) = (FunctionSection::new(), CodeSection::new(), ExportSection::new());
        for number in 0..n_functions {
            functions.function(0);
            let mut body = Function::new([]);
            let mut words = body.instructions();
            words.i64_const(i64::from(number)).drop();
            for _ in 0..5 {
                let word = if number % 2 == 0 { 0x1234_5678_9abc } else { -0x7654_3210_fedc };
                words.i64_const(word).drop();
            }
            words.call((number + 2) % (n_functions + 1)).end();
            code.function(&body);
            exports.export(&name(number), ExportKind::Func, number + 1);
        }
        let mut tables = TableSection::new();
        let size = u64::from(n_functions);
        tables.table(TableType {
            element_type: RefType::FUNCREF,
            table64: false,
            minimum: size,
            maximum: None,
            shared: false,
        });
        let mut elements = ElementSection::new();
        let all: Vec<u32> = (1..=n_functions).filter(|_| has_table).collect();
        elements.active(None, &wasm_encoder::ConstExpr::i32_const(0), Elements::Functions(all.into()));
        let mut module = Module::new();
        module
            .section(&types)
            .section(&imports)
            .section(&functions)
            .section(&tables)
            .section(&exports)
            .section(&elements)
            .section(&code);
        module.finish()
    }

    /// What each function of a module says, in order, and whom it calls.
    fn said(module: &[u8]) -> Vec<(i64, u32)> {
        let mut said = Vec::new();
        for payload in Parser::new(0).parse_all(module) {
            if let Payload::CodeSectionEntry(body) = payload.unwrap() {
                let (mut words, mut called) = (Vec::new(), None);
                for word in body.get_operators_reader().unwrap() {
                    match word.unwrap() {
                        Operator::I64Const { value } => words.push(value),
                        Operator::Call { function_index } => called = Some(function_index),
                        _ => {}
                    }
                }
                said.push((words[0], called.unwrap()));
            }
        }
        said
    }

    #[test]
    fn functions_change_places_and_everything_still_finds_them() {
        let before = module(9, |number| number.to_string(), true);
        let after = reordered(&before, &HashMap::new()).unwrap();
        let said = said(&after);
        let numbers: Vec<i64> = said.iter().map(|&(number, _)| number).collect();
        let is_even: Vec<bool> = numbers.iter().map(|number| number % 2 == 0).collect();
        assert_eq!(is_even.windows(2).filter(|two| two[0] != two[1]).count(), 1, "{numbers:?}");
        let number_of = |index: u32| index.checked_sub(1).map(|own| numbers[own as usize]);
        for &(number, called) in &said {
            assert_eq!(number_of(called), (number < 8).then_some(number + 1));
        }
        let mut n_found = 0;
        for payload in Parser::new(0).parse_all(&after) {
            match payload.unwrap() {
                Payload::ExportSection(exports) => {
                    for export in exports {
                        let export = export.unwrap();
                        assert_eq!(export.kind, ExternalKind::Func);
                        assert_eq!(number_of(export.index).unwrap().to_string(), export.name);
                        n_found += 1;
                    }
                }
                Payload::ElementSection(elements) => {
                    for element in elements {
                        let ElementItems::Functions(all) = element.unwrap().items else { panic!("functions") };
                        let all: Vec<i64> = all.into_iter().map(|index| number_of(index.unwrap()).unwrap()).collect();
                        assert_eq!(all, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
                        n_found += all.len();
                    }
                }
                _ => {}
            }
        }
        assert_eq!(n_found, 18);
    }

    #[test]
    fn loads_are_of_one_alignment() {
        let mut types = TypeSection::new();
        types.ty().function([], []);
        let (mut functions, mut exports) = (FunctionSection::new(), ExportSection::new());
        functions.function(0);
        exports.export("load", ExportKind::Func, 0);
        let mut memories = MemorySection::new();
        memories.memory(MemoryType { minimum: 1, maximum: None, memory64: false, shared: false, page_size_log2: None });
        let mut body = Function::new([]);
        let mut words = body.instructions();
        for (offset, align) in [(8, 3), (12, 0)] {
            words.i32_const(0).i64_load(MemArg { offset, align, memory_index: 0 }).drop();
        }
        words.end();
        let mut code = CodeSection::new();
        code.function(&body);
        let mut module = Module::new();
        module.section(&types).section(&functions).section(&memories).section(&exports).section(&code);
        let after = reordered(&module.finish(), &HashMap::new()).unwrap();
        let mut found = Vec::new();
        for payload in Parser::new(0).parse_all(&after) {
            if let Payload::CodeSectionEntry(body) = payload.unwrap() {
                for operator in body.get_operators_reader().unwrap() {
                    if let Operator::I64Load { memarg } = operator.unwrap() {
                        found.push((memarg.offset, memarg.align));
                    }
                }
            }
        }
        assert_eq!(found, [(8, 0), (12, 0)]);
    }

    /// The sixth is exported to be called, and calls those after it; all others are methods of what nobody makes.
    #[test]
    fn unreachable_functions_are_left_out() {
        let name = |number| if number == 5 { "main".to_owned() } else { format!("intounderlyingsource_{number}") };
        let after = reordered(&module(9, name, false), &HashMap::new()).unwrap();
        let mut numbers: Vec<i64> = said(&after).iter().map(|&(number, _)| number).collect();
        let main = numbers.iter().position(|&number| number == 5).unwrap();
        numbers.sort_unstable();
        assert_eq!(numbers, [5, 6, 7, 8]);
        let exports = |payload| if let Ok(Payload::ExportSection(exports)) = payload { Some(exports) } else { None };
        let exports: Vec<_> =
            Parser::new(0).parse_all(&after).filter_map(exports).flatten().map(std::result::Result::unwrap).collect();
        assert_eq!(
            exports.iter().map(|export| (export.name, export.index as usize)).collect::<Vec<_>>(),
            [("main", main + 1)]
        );
        // In a table everything can be called.
        assert_eq!(said(&reordered(&module(9, name, true), &HashMap::new()).unwrap()).len(), 9);
    }

    /// What the glue has by another name, the module asks for by that name.
    #[test]
    fn module_and_glue_agree_on_names() {
        let folder = tempfile::tempdir().unwrap();
        let [wasm, glue] = ["live_bg.wasm", "live.js"].map(|name| folder.path().join(name));
        fs::write(&wasm, module(3, |number| number.to_string(), true)).unwrap();
        fs::write(&glue, "imports = { page: { hear: listen } }").unwrap();
        pack(folder.path()).unwrap();
        assert_eq!(fs::read_to_string(&glue).unwrap(), "imports = { page: { _0_: listen } }");
        let after = fs::read(&wasm).unwrap();
        let imports = |payload| if let Ok(Payload::ImportSection(imports)) = payload { Some(imports) } else { None };
        let imports = Parser::new(0).parse_all(&after).find_map(imports).unwrap();
        let names: Vec<_> =
            imports.into_imports().map(|import| import.map(|import| (import.module, import.name)).unwrap()).collect();
        assert_eq!(names, [("page", "_0_")]);
    }

    #[test]
    fn what_is_no_module_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("live_bg.wasm"), "no module").unwrap();
        fs::write(folder.path().join("live.js"), "no glue").unwrap();
        let error = pack(folder.path()).unwrap_err().to_string();
        assert!(error.contains("live_bg.wasm: "), "{error}");
    }
}
