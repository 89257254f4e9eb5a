//! Rust source as tokens: what remains of it without comments, and with each string as one token.

/// A token, and the line that it starts in, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub kind: Kind,
    pub line: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Word(String),
    /// The content of a string, without its quotes.
    Text(String),
    /// Two colons.
    Path,
    Sign(char),
}

impl Token {
    pub fn is_word(&self, word: &str) -> bool {
        matches!(&self.kind, Kind::Word(found) if found == word)
    }

    pub fn is_sign(&self, sign: char) -> bool {
        self.kind == Kind::Sign(sign)
    }

    pub fn word(&self) -> Option<&str> {
        if let Kind::Word(word) = &self.kind { Some(word) } else { None }
    }
}

/// Splits source text into tokens.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut reader = Reader { chars: text.chars().collect(), at: 0, line: 1 };
    let mut tokens = Vec::new();
    while let Some(token) = reader.next_token() {
        tokens.push(token);
    }
    tokens
}

struct Reader {
    chars: Vec<char>,
    at: usize,
    line: usize,
}

impl Reader {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn take(&mut self) -> Option<char> {
        let taken = self.peek(0)?;
        self.at += 1;
        self.line += usize::from(taken == '\n');
        Some(taken)
    }

    fn next_token(&mut self) -> Option<Token> {
        self.skip_space_and_comments();
        let line = self.line;
        let kind = match self.peek(0)? {
            'r' | 'b' if self.is_raw_string() => self.raw_string(),
            'b' if self.peek(1) == Some('"') => {
                self.take();
                self.string()
            }
            '"' => self.string(),
            '\'' => return self.lifetime_or_character(),
            first if is_word_part(first) => self.name(),
            ':' if self.peek(1) == Some(':') => {
                self.at += 2;
                Kind::Path
            }
            sign => {
                self.take();
                Kind::Sign(sign)
            }
        };
        Some(Token { kind, line })
    }

    fn skip_space_and_comments(&mut self) {
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some(space), _) if space.is_whitespace() => {
                    self.take();
                }
                (Some('/'), Some('/')) => while self.peek(0).is_some() && self.take() != Some('\n') {},
                (Some('/'), Some('*')) => self.skip_block_comment(),
                _ => return,
            }
        }
    }

    /// Block comments nest.
    fn skip_block_comment(&mut self) {
        let mut depth = 0;
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some('/'), Some('*')) => (depth, self.at) = (depth + 1, self.at + 2),
                (Some('*'), Some('/')) => (depth, self.at) = (depth - 1, self.at + 2),
                _ => {
                    if self.take().is_none() {
                        return;
                    }
                }
            }
            if depth == 0 {
                return;
            }
        }
    }

    /// `r"`, `r#"`, `br"` and so on, but not a raw name such as `r#mod`.
    fn is_raw_string(&self) -> bool {
        let mut ahead = usize::from(self.peek(0) == Some('b'));
        if self.peek(ahead) != Some('r') {
            return false;
        }
        ahead += 1;
        while self.peek(ahead) == Some('#') {
            ahead += 1;
        }
        self.peek(ahead) == Some('"')
    }

    fn raw_string(&mut self) -> Kind {
        let mut hashes = 0;
        while self.peek(0) != Some('"') {
            hashes += usize::from(self.take() == Some('#'));
        }
        self.take();
        let mut text = String::new();
        while let Some(found) = self.take() {
            if found == '"' && (0..hashes).all(|ahead| self.peek(ahead) == Some('#')) {
                self.at += hashes;
                break;
            }
            text.push(found);
        }
        Kind::Text(text)
    }

    fn string(&mut self) -> Kind {
        self.take();
        let mut text = String::new();
        while let Some(found) = self.take() {
            match found {
                '"' => break,
                '\\' => text.extend(self.take()),
                _ => text.push(found),
            }
        }
        Kind::Text(text)
    }

    /// A lifetime is no token, as nothing here needs it.
    fn lifetime_or_character(&mut self) -> Option<Token> {
        let line = self.line;
        self.take();
        let is_lifetime = self.peek(0).is_some_and(is_word_part) && self.peek(1) != Some('\'');
        if is_lifetime {
            while self.peek(0).is_some_and(is_word_part) {
                self.take();
            }
            return self.next_token();
        }
        while let Some(found) = self.take().filter(|found| *found != '\'') {
            if found == '\\' {
                self.take();
            }
        }
        Some(Token { kind: Kind::Text(String::new()), line })
    }

    fn name(&mut self) -> Kind {
        if self.peek(0) == Some('r') && self.peek(1) == Some('#') {
            self.at += 2;
        }
        let mut word = String::new();
        while let Some(part) = self.peek(0).filter(|part| is_word_part(*part)) {
            word.push(part);
            self.take();
        }
        Kind::Word(word)
    }
}

fn is_word_part(part: char) -> bool {
    part.is_alphanumeric() || part == '_'
}
