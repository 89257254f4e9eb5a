//! The modules of a crate and the paths that each of them names, without what is compiled for tests only.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::tokens::{Kind, Token, tokens};

/// Source files by their path below the crate's `src`.
pub type Sources = BTreeMap<String, String>;

/// A path, as a list of names.
pub type Names = Vec<String>;

/// A place in a module that names something in the crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    pub line: usize,
    /// From the root of the crate. The last name is `*` if all that a module has is meant.
    pub path: Names,
    /// The name by which a `use` makes it known in the module; `None` for a path within code.
    known_as: Option<String>,
}

/// One source file.
#[derive(Debug, Default)]
pub struct Module {
    /// Below `src`.
    pub file: String,
    pub uses: Vec<Use>,
    declares: BTreeSet<String>,
}

/// The modules of a crate, by their path from its root.
#[derive(Debug, Default)]
pub struct Modules(pub BTreeMap<Names, Module>);

/// Re-exports of re-exports that are followed.
const STEPS_MAX: usize = 8;

impl Modules {
    /// Reads the crate whose root is `lib.rs`, or `main.rs` without one, as far as its modules are declared.
    pub fn read(sources: &Sources) -> Modules {
        let root = if sources.contains_key("lib.rs") { "lib.rs" } else { "main.rs" };
        let mut modules = Modules::default();
        modules.add(sources, Vec::new(), root.to_owned());
        modules
    }

    fn add(&mut self, sources: &Sources, path: Names, file: String) {
        let Some(text) = sources.get(&file) else { return };
        let mut parser =
            Parser { tokens: tokens(text), at: 0, module: Module::default(), path: path.clone() };
        let declared = parser.parse();
        let mut module = parser.module;
        module.file = file.clone();
        self.0.insert(path.clone(), module);
        for (name, at) in declared {
            let child = [&path[..], std::slice::from_ref(&name)].concat();
            let file = file_of(sources, &file, &name, at.as_deref());
            self.add(sources, child, file);
        }
    }

    /// The path of the module in which what `path` names is declared, wherever it is re-exported. A module is in itself.
    pub fn home(&self, path: &[String]) -> Names {
        self.home_within(path, STEPS_MAX)
    }

    fn home_within(&self, path: &[String], steps: usize) -> Names {
        let mut depth = 0;
        while depth < path.len() && self.0.contains_key(&path[..=depth]) {
            depth += 1;
        }
        let (module, rest) = path.split_at(depth);
        let Some((name, within)) = rest.split_first().filter(|_| steps > 0) else { return module.to_vec() };
        match self.0.get(module).and_then(|found| self.exported(found, name)) {
            Some(target) if target != path => self.home_within(&[&target[..], within].concat(), steps - 1),
            _ => module.to_vec(),
        }
    }

    /// The path that the module has made known under that name by a `use`.
    fn exported(&self, module: &Module, name: &str) -> Option<Names> {
        let named = module.uses.iter().find(|found| found.known_as.as_deref() == Some(name));
        let glob = || {
            let globs = module.uses.iter().filter(|found| found.known_as.as_deref() == Some("*"));
            let mut from = globs.map(|found| found.path[..found.path.len() - 1].to_vec());
            from.find(|path| self.0.get(path).is_some_and(|found| found.declares.contains(name)))
        };
        named.map(|found| found.path.clone()).or_else(|| {
            let mut path = glob()?;
            path.push(name.to_owned());
            Some(path)
        })
    }

    /// Where all of the things are declared that a module makes known by `use`.
    pub fn homes_of_all(&self, module: &[String]) -> BTreeSet<Names> {
        let uses = self.0.get(module).map(|module| &module.uses[..]).unwrap_or_default();
        uses.iter().filter(|found| found.known_as.is_some()).map(|found| self.home(&found.path)).collect()
    }
}

/// The file of a module that is declared in `parent` under that name, with the path that an attribute gives.
fn file_of(sources: &Sources, parent: &str, name: &str, attribute: Option<&str>) -> String {
    let path = Path::new(parent);
    let folder = path.parent().unwrap_or(Path::new(""));
    if let Some(attribute) = attribute {
        return folder.join(attribute).display().to_string();
    }
    let stem = path.file_stem().unwrap_or_default();
    let is_folder = ["lib", "main", "mod"].iter().any(|own| stem == *own);
    let folder = if is_folder { folder.to_path_buf() } else { folder.join(stem) };
    let file = folder.join(format!("{name}.rs")).display().to_string();
    if sources.contains_key(&file) { file } else { folder.join(name).join("mod.rs").display().to_string() }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    module: Module,
    path: Names,
}

/// A module that is declared, and its `#[path]`.
type Declared = (String, Option<String>);

impl Parser {
    fn peek(&self, ahead: usize) -> Option<&Token> {
        self.tokens.get(self.at + ahead)
    }

    fn is_sign(&self, ahead: usize, sign: char) -> bool {
        self.peek(ahead).is_some_and(|token| token.is_sign(sign))
    }

    fn is_path(&self, ahead: usize) -> bool {
        self.peek(ahead).is_some_and(|token| token.kind == Kind::Path)
    }

    /// Reads the whole file. Returns the modules that it declares.
    fn parse(&mut self) -> Vec<Declared> {
        let mut declared: Vec<Declared> = Vec::new();
        let mut file = None;
        while let Some(token) = self.peek(0) {
            let starts_path =
                self.is_path(1) && !(self.at > 0 && self.tokens[self.at - 1].kind == Kind::Path);
            match &token.kind {
                Kind::Sign('#') => match self.attribute() {
                    Attribute::Test => self.skip_item(),
                    Attribute::File(path) => file = Some(path),
                    Attribute::Other => {}
                },
                Kind::Word(word) if word == "use" => self.use_item(),
                Kind::Word(word) if word == "mod" && self.is_sign(2, ';') => {
                    let name = self.peek(1).and_then(Token::word).unwrap_or_default().to_owned();
                    declared.push((name, file.take()));
                    self.at += 3;
                }
                Kind::Word(word) if DECLARE.contains(&word.as_str()) => self.declaration(),
                Kind::Word(word) if starts_path => {
                    let is_child = declared.iter().any(|(name, _)| name == word);
                    if is_child || ["crate", "super", "self"].contains(&word.as_str()) {
                        self.path_in_code(is_child);
                    } else {
                        self.at += 1;
                    }
                }
                _ => self.at += 1,
            }
        }
        self.resolve_children(&declared);
        declared
    }

    fn declaration(&mut self) {
        if let Some(name) = self.peek(1).and_then(Token::word) {
            self.module.declares.insert(name.to_owned());
        }
        self.at += 1;
    }

    /// Reads `#[…]` or `#![…]`.
    fn attribute(&mut self) -> Attribute {
        let start = self.at;
        self.at += if self.is_sign(1, '!') { 2 } else { 1 };
        self.skip_group();
        let tokens = &self.tokens[start..self.at.min(self.tokens.len())];
        let has = |word: &str| tokens.iter().any(|token| token.is_word(word));
        let text = tokens.iter().find_map(|token| match &token.kind {
            Kind::Text(text) => Some(text.clone()),
            _ => None,
        });
        match text {
            _ if has("cfg") && has("test") && !has("not") => Attribute::Test,
            Some(path) if tokens.get(2).is_some_and(|token| token.is_word("path")) => Attribute::File(path),
            _ => Attribute::Other,
        }
    }

    /// Skips an opening bracket of any kind, and everything up to the one that closes it.
    fn skip_group(&mut self) {
        let mut depth = 0;
        while let Some(token) = self.peek(0) {
            if let Kind::Sign(sign) = token.kind {
                depth += i32::from("([{".contains(sign)) - i32::from(")]}".contains(sign));
            }
            self.at += 1;
            if depth <= 0 {
                return;
            }
        }
    }

    /// Skips what an attribute is about: an item, a statement, a field or an arm of a match.
    fn skip_item(&mut self) {
        while self.is_sign(0, '#') {
            self.attribute();
        }
        let first = self.peek(0).and_then(Token::word).unwrap_or_default();
        let is_item = [
            "pub", "use", "mod", "fn", "async", "impl", "const", "static", "struct", "enum", "trait", "type",
        ];
        let (ends_at_comma, is_use) = (!is_item.contains(&first), first == "use" || first == "pub");
        while let Some(token) = self.peek(0) {
            match token.kind {
                Kind::Sign(';') => {
                    self.at += 1;
                    return;
                }
                Kind::Sign(',') if ends_at_comma => {
                    self.at += 1;
                    return;
                }
                Kind::Sign('}' | ')' | ']') => return,
                Kind::Sign('{') => {
                    let is_part_of_use = is_use && self.at > 0 && self.tokens[self.at - 1].kind == Kind::Path;
                    self.skip_group();
                    if !is_part_of_use {
                        return;
                    }
                }
                Kind::Sign('(' | '[') => self.skip_group(),
                _ => self.at += 1,
            }
        }
    }

    fn use_item(&mut self) {
        self.at += 1;
        let line = self.peek(0).map_or(0, |token| token.line);
        self.use_tree(&[], line);
    }

    fn use_tree(&mut self, before: &[String], line: usize) {
        let mut path = before.to_vec();
        loop {
            let here = self.peek(0).map_or(line, |token| token.line);
            match self.peek(0).map(|token| token.kind.clone()) {
                Some(Kind::Path) => self.at += 1,
                Some(Kind::Word(word)) if word == "as" => {
                    let alias = self.peek(1).and_then(Token::word).unwrap_or_default().to_owned();
                    self.at += 2;
                    return self.note(here, path, Some(alias));
                }
                Some(Kind::Word(word)) => {
                    path.push(word);
                    self.at += 1;
                }
                Some(Kind::Sign('*')) => {
                    self.at += 1;
                    path.push("*".to_owned());
                    return self.note(here, path, Some("*".to_owned()));
                }
                Some(Kind::Sign('{')) => {
                    self.at += 1;
                    while !self.is_sign(0, '}') && self.peek(0).is_some() {
                        self.use_tree(&path, here);
                        if self.is_sign(0, ',') {
                            self.at += 1;
                        }
                    }
                    self.at += 1;
                    return;
                }
                _ => {
                    if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
                        path.pop();
                    }
                    let name = path.last().cloned();
                    return self.note(here, path, name);
                }
            }
        }
    }

    fn path_in_code(&mut self, is_child: bool) {
        let line = self.peek(0).map_or(0, |token| token.line);
        let mut path: Names = if is_child { vec!["self".to_owned()] } else { Vec::new() };
        while let Some(word) = self.peek(0).and_then(Token::word) {
            path.push(word.to_owned());
            self.at += 1;
            if !(self.is_path(0) && self.peek(1).is_some_and(|token| token.word().is_some())) {
                break;
            }
            self.at += 1;
        }
        self.note(line, path, None);
    }

    /// Keeps a path; what starts with the name of another crate goes again when the module's children are known.
    fn note(&mut self, line: usize, path: Names, known_as: Option<String>) {
        self.module.uses.push(Use { line, path, known_as });
    }

    /// Makes all paths start at the crate's root.
    fn resolve_children(&mut self, declared: &[Declared]) {
        let own = &self.path;
        let from_root = |path: &Names| -> Option<Names> {
            let first = path.first()?;
            let (mut base, mut skipped) = match first.as_str() {
                "crate" => (Vec::new(), 1),
                "self" => (own.clone(), 1),
                "super" => (own.clone(), 0),
                child if declared.iter().any(|(name, _)| name == child) => (own.clone(), 0),
                _ => return None,
            };
            while path.get(skipped).is_some_and(|name| name == "super") {
                base.pop();
                skipped += 1;
            }
            base.extend_from_slice(&path[skipped..]);
            Some(base)
        };
        let uses = std::mem::take(&mut self.module.uses);
        let resolved =
            uses.into_iter().filter_map(|found| Some(Use { path: from_root(&found.path)?, ..found }));
        self.module.uses = resolved.collect();
    }
}

enum Attribute {
    /// What follows is compiled for tests only.
    Test,
    /// The file of the module that follows.
    File(String),
    Other,
}

/// Words in front of a name that is declared.
const DECLARE: [&str; 8] = ["struct", "enum", "trait", "fn", "const", "static", "type", "union"];
