//! Languages of data, configuration, queries, shells and markup.

use super::NONE;
use crate::tui::text::highlight::language::{Habit::*, Language, *};

pub(super) static LANGUAGES: &[Language] = &[
    Language {
        names: "nix",
        line_comments: "#",
        block_comment: Some(("/*", "*/")),
        quotes: &[DOUBLE_LINES],
        keywords: "assert else if in inherit let or rec then with import",
        constants: "true false null",
        word_extra: "-'",
        ..NONE
    },
    Language {
        names: "sql mysql postgres postgresql psql sqlite plsql",
        line_comments: "-- #",
        block_comment: Some(("/*", "*/")),
        quotes: &[SINGLE, DOUBLE, BACKTICK],
        keywords: "add all alter and any as asc begin between by case check column commit constraint create cross \
                   database declare default delete desc distinct drop each else end except exists explain foreign from \
                   full function grant group having if in index inner insert intersect into is join key left like limit \
                   not of offset on or order outer over partition primary procedure recursive references replace \
                   returning revoke right rollback row rows select set table temporary then to transaction trigger \
                   truncate union unique update using values view when where with",
        types: "bigint blob boolean char date decimal double float int integer json jsonb numeric real serial \
                   smallint text time timestamp timestamptz uuid varchar",
        constants: "true false null",
        habits: &[AnyCase, NoCapitals],
        ..NONE
    },
    Language {
        names: "shell sh bash zsh ksh fish shellscript shell-session",
        line_comments: "#",
        quotes: &[DOUBLE_LINES, SINGLE_RAW],
        keywords: "alias break case continue declare do done elif else esac eval exec exit export fi for function if in \
                   local readonly return select set shift source sudo then time trap unset until while",
        word_extra: "-./+",
        habits: &[Commands, Dollars, NoCapitals],
        ..NONE
    },
    Language {
        names: "powershell ps1 pwsh",
        line_comments: "#",
        block_comment: Some(("<#", "#>")),
        quotes: &[DOUBLE_LINES, SINGLE_RAW, BACKTICK],
        keywords: "begin break catch class continue data do else elseif end enum exit filter finally for foreach \
                   function if in param process return switch throw trap try until using while",
        word_extra: "-",
        habits: &[Dollars, AnyCase, NoCapitals],
        ..NONE
    },
    Language {
        names: "dockerfile docker containerfile",
        line_comments: "#",
        quotes: &[DOUBLE, SINGLE],
        keywords: "ADD ARG AS CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL MAINTAINER ONBUILD RUN SHELL \
                   STOPSIGNAL USER VOLUME WORKDIR",
        word_extra: "-./",
        habits: &[Dollars, NoCapitals],
        ..NONE
    },
    Language {
        names: "makefile make mk justfile just",
        line_comments: "#",
        quotes: &[DOUBLE, SINGLE],
        keywords: "define else endef endif export ifdef ifeq ifndef ifneq include override",
        word_extra: "-./%",
        key_end: Some(':'),
        habits: &[Dollars, NoCapitals],
        ..NONE
    },
    Language {
        names: "cmake",
        line_comments: "#",
        quotes: &[DOUBLE_LINES],
        keywords: "else elseif endforeach endfunction endif endmacro endwhile foreach function if include macro return \
                   set while",
        constants: "ON OFF TRUE FALSE",
        habits: &[Dollars, NoCapitals],
        ..NONE
    },
    Language {
        names: "json json5 jsonc jsonl ndjson",
        line_comments: "//",
        block_comment: Some(("/*", "*/")),
        quotes: &[DOUBLE],
        constants: "true false null",
        key_end: Some(':'),
        ..NONE
    },
    Language {
        names: "yaml yml",
        line_comments: "#",
        quotes: &[DOUBLE_LINES, SINGLE_RAW],
        constants: "true false null yes no on off",
        word_extra: "-./",
        key_end: Some(':'),
        habits: &[NoCapitals],
        ..NONE
    },
    Language {
        names: "toml lock",
        line_comments: "#",
        quotes: &[TRIPLE_DOUBLE, TRIPLE_SINGLE, DOUBLE, SINGLE_RAW],
        constants: "true false",
        word_extra: "-.",
        key_end: Some('='),
        habits: &[NoCapitals],
        ..NONE
    },
    Language {
        names: "ini cfg conf properties env dotenv editorconfig gitconfig",
        line_comments: "# ;",
        quotes: &[DOUBLE],
        constants: "true false yes no on off",
        word_extra: "-.",
        key_end: Some('='),
        habits: &[NoCapitals],
        ..NONE
    },
    Language {
        names: "hcl terraform tf tfvars",
        line_comments: "# //",
        block_comment: Some(("/*", "*/")),
        quotes: &[DOUBLE_LINES],
        keywords: "data dynamic else endif for for_each if in locals module output provider resource terraform variable",
        types: "bool list map number string any",
        constants: "true false null",
        word_extra: "-",
        key_end: Some('='),
        habits: &[NoCapitals],
    },
    Language {
        names: "protobuf proto",
        line_comments: "//",
        block_comment: Some(("/*", "*/")),
        quotes: &[DOUBLE],
        keywords: "enum extend extensions import message oneof option optional package public repeated required \
                   reserved returns rpc service stream syntax",
        types: "bool bytes double fixed32 fixed64 float int32 int64 sint32 sint64 string uint32 uint64",
        constants: "true false",
        ..NONE
    },
    Language {
        names: "graphql gql",
        line_comments: "#",
        quotes: &[TRIPLE_DOUBLE, DOUBLE],
        keywords: "directive enum extend fragment implements input interface mutation on query scalar schema \
                   subscription type union",
        constants: "true false null",
        word_extra: "$",
        habits: &[AtAttributes],
        ..NONE
    },
    Language {
        names: "css scss sass less",
        line_comments: "//",
        block_comment: Some(("/*", "*/")),
        quotes: &[DOUBLE, SINGLE],
        keywords: "important",
        constants: "inherit initial unset none auto",
        word_extra: "-#%",
        key_end: Some(':'),
        habits: &[AtAttributes, NoCapitals, Dollars],
        ..NONE
    },
    Language {
        names: "html htm xml svg xhtml vue svelte astro xaml plist",
        block_comment: Some(("<!--", "-->")),
        quotes: &[DOUBLE_LINES, SINGLE_RAW],
        habits: &[Markup],
        ..NONE
    },
    Language { names: "diff patch udiff", habits: &[Diff], ..NONE },
];
