//! `say!`: a text in the reader's language, written in English where the code uses it.

use proc_macro::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

/// A text in the reader's language: a `&'static str` for a literal alone, a `String` for one with values as in
/// `format!`.
///
/// Braces hold values, by name or in their order: `{name}`, `{}`. Values have no format: how a number is shown does not
/// depend on the sentence around it. The literal is the key of its translation.
#[proc_macro]
pub fn say(input: TokenStream) -> TokenStream {
    expand(input).unwrap_or_else(|(reason, at)| complain(reason, at))
}

type Complaint = (&'static str, Span);

fn expand(input: TokenStream) -> Result<TokenStream, Complaint> {
    let mut tokens = input.into_iter();
    let first = tokens.next().ok_or(("say! needs a text", Span::call_site()))?;
    let literal = literal(first)?;
    let text = literal.to_string();
    let mut values = arguments(tokens).into_iter();
    let mut all = Vec::new();
    for place in places(text.trim_matches('"')).map_err(|reason| (reason, literal.span()))? {
        all.push(match place {
            "" => values.next().ok_or(("there are more braces than values", literal.span()))?,
            name => TokenTree::from(Ident::new(name, literal.span())).into(),
        });
    }
    if values.next().is_some() {
        return Err(("there are more values than braces", literal.span()));
    }
    if all.is_empty() { Ok(call("text", literal, None)) } else { Ok(call("fill", literal, Some(array(all)))) }
}

/// The string literal of a token, even if another macro passed it on in a group.
fn literal(token: TokenTree) -> Result<Literal, Complaint> {
    match token {
        TokenTree::Literal(literal) if literal.to_string().starts_with('"') => Ok(literal),
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
            let inner = group.stream().into_iter().next().ok_or(("say! needs a text", group.span()))?;
            literal(inner)
        }
        other => Err(("the text must be a literal: translations are found by it", other.span())),
    }
}

/// The tokens between commas.
fn arguments(tokens: impl Iterator<Item = TokenTree>) -> Vec<TokenStream> {
    let mut arguments = vec![TokenStream::new()];
    for token in tokens {
        match (&token, arguments.last_mut()) {
            (TokenTree::Punct(punct), _) if punct.as_char() == ',' => arguments.push(TokenStream::new()),
            (_, Some(last)) => last.extend([token]),
            _ => {}
        }
    }
    arguments.retain(|argument| !argument.is_empty());
    arguments
}

/// The contents of the braces in a text, from left to right.
fn places(text: &str) -> Result<Vec<&str>, &'static str> {
    let mut places = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(['{', '}']) {
        let inside = rest[start..].strip_prefix('{').ok_or("a brace is closed that was not opened")?;
        let end = inside.find('}').ok_or("a brace is opened and not closed")?;
        let name = &inside[..end];
        if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            || name.starts_with(|c: char| c.is_ascii_digit())
        {
            return Err("braces hold the name of a value, or nothing");
        }
        places.push(name);
        rest = &inside[end + 1..];
    }
    Ok(places)
}

/// The call `::fedsysid_say::NAME(literal, values)`.
fn call(name: &str, literal: Literal, values: Option<TokenStream>) -> TokenStream {
    let mut inside = TokenStream::from(TokenTree::from(literal));
    if let Some(values) = values {
        inside.extend([TokenTree::from(Punct::new(',', Spacing::Alone))]);
        inside.extend(values);
    }
    let mut call = path(&["fedsysid_say", name]);
    call.extend([TokenTree::from(Group::new(Delimiter::Parenthesis, inside))]);
    call
}

fn path(parts: &[&str]) -> TokenStream {
    let colon = |spacing| TokenTree::from(Punct::new(':', spacing));
    let of_part =
        |part: &&str| [colon(Spacing::Joint), colon(Spacing::Alone), Ident::new(part, Span::call_site()).into()];
    parts.iter().flat_map(of_part).collect()
}

/// The array `&[&a, &b]` of displayed values.
fn array(values: Vec<TokenStream>) -> TokenStream {
    let and = || TokenTree::from(Punct::new('&', Spacing::Alone));
    let mut inside = TokenStream::new();
    for value in values {
        inside.extend([and(), Group::new(Delimiter::Parenthesis, value).into()]);
        inside.extend([TokenTree::from(Punct::new(',', Spacing::Alone))]);
    }
    [and(), Group::new(Delimiter::Bracket, inside).into()].into_iter().collect()
}

/// A compiler error at that place.
fn complain(reason: &str, at: Span) -> TokenStream {
    let inside = TokenStream::from(TokenTree::from(Literal::string(reason)));
    let tokens: [TokenTree; 3] = [
        Ident::new("compile_error", at).into(),
        Punct::new('!', Spacing::Alone).into(),
        Group::new(Delimiter::Brace, inside).into(),
    ];
    tokens
        .into_iter()
        .map(|mut token| {
            token.set_span(at);
            token
        })
        .collect()
}
