//! Programming languages. Keyword lists follow each language's reference.

use super::NONE;
use crate::tui::text::highlight::language::{Habit::*, Language, *};

pub(super) static LANGUAGES: &[Language] = &[
    Language {
        names: "rust rs",
        line_comments: "//",
        block_comment: Some(("/*", "*/")),
        quotes: &[RAW_HASH, RAW, DOUBLE_LINES, SINGLE],
        keywords: "as async await break const continue crate dyn else enum extern fn for if impl in let loop match mod \
                   move mut pub ref return self static struct super trait type unsafe use where while yield",
        types: "Self bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize",
        constants: "true false None Some Ok Err",
        habits: &[Lifetimes, Macros, HashAttributes],
        ..NONE
    },
    Language {
        names: "python py pyi python3",
        line_comments: "#",
        quotes: &[TRIPLE_DOUBLE, TRIPLE_SINGLE, DOUBLE, SINGLE],
        keywords: "and as assert async await break case class continue def del elif else except finally for from global \
                   if import in is lambda match nonlocal not or pass raise return try while with yield",
        types: "int float str bool bytes list dict set tuple object",
        constants: "True False None self cls",
        habits: &[AtAttributes],
        ..NONE
    },
    Language {
        names: "javascript js jsx mjs cjs node typescript ts tsx mts cts",
        line_comments: "//",
        block_comment: Some(("/*", "*/")),
        quotes: &[DOUBLE, SINGLE, BACKTICK],
        keywords: "abstract any as async await break case catch class const continue debugger declare default delete do \
                   else enum export extends finally for from function get if implements import in instanceof interface \
                   is keyof let namespace new of private protected public readonly return satisfies set static super \
                   switch this throw try type typeof var void while with yield",
        types: "boolean number string symbol object never unknown bigint",
        constants: "true false null undefined NaN Infinity",
        word_extra: "$",
        habits: &[AtAttributes],
        ..NONE
    },
    Language {
        names: "go golang",
        line_comments: "//",
        block_comment: Some(("/*", "*/")),
        quotes: &[DOUBLE, SINGLE, BACKTICK_RAW],
        keywords: "break case chan const continue default defer else fallthrough for func go goto if import interface \
                   map package range return select struct switch type var",
        types: "any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune \
                   string uint uint8 uint16 uint32 uint64 uintptr",
        constants: "true false nil iota",
        ..NONE
    },
    Language {
        names: "c h cpp c++ cc cxx hpp hh hxx cu ino",
        line_comments: "//",
        block_comment: Some(("/*", "*/")),
        quotes: &[DOUBLE, SINGLE],
        keywords: "alignas alignof asm auto break case catch class const constexpr consteval constinit const_cast \
                   continue co_await co_return co_yield decltype default delete do dynamic_cast else enum explicit \
                   export extern final for friend goto if inline mutable namespace new noexcept operator override \
                   private protected public register reinterpret_cast restrict return sizeof static static_assert \
                   static_cast struct switch template this thread_local throw try typedef typeid typename union using \
                   virtual volatile while",
        types: "bool char char8_t char16_t char32_t double float int int8_t int16_t int32_t int64_t long short \
                   signed size_t ssize_t uint8_t uint16_t uint32_t uint64_t unsigned void wchar_t",
        constants: "true false NULL nullptr",
        habits: &[Preprocessor],
        ..NONE
    },
    Language {
        names: "java",
        line_comments: "//",
        block_comment: Some(("/*", "*/")),
        quotes: &[TRIPLE_DOUBLE, DOUBLE, SINGLE],
        keywords: "abstract assert break case catch class const continue default do else enum extends final finally for \
                   goto if implements import instanceof interface native new package permits private protected public \
                   record return sealed static strictfp super switch synchronized this throw throws transient try var \
                   volatile while yield",
        types: "boolean byte char double float int long short void",
        constants: "true false null",
        habits: &[AtAttributes],
        ..NONE
    },
    Language {
        names: "csharp cs c#",
        line_comments: "//",
        block_comment: Some(("/*", "*/")),
        quotes: &[DOUBLE, SINGLE],
        keywords: "abstract as async await base break case catch checked class const continue default delegate do else \
                   enum event explicit extern finally fixed for foreach get goto if implicit in init interface internal \
                   is lock namespace new operator out override params private protected public readonly record ref \
                   required return sealed set sizeof stackalloc static struct switch this throw try typeof unchecked \
                   unsafe using var virtual volatile when where while with yield",
        types: "bool byte char decimal double dynamic float int long object sbyte short string uint ulong ushort \
                   void",
        constants: "true false null",
        habits: &[Preprocessor],
        ..NONE
    },
    Language {
        names: "kotlin kt kts",
        line_comments: "//",
        block_comment: Some(("/*", "*/")),
        quotes: &[TRIPLE_DOUBLE, DOUBLE, SINGLE],
        keywords: "abstract actual annotation as break by catch class companion const constructor continue crossinline \
                   data do else enum expect external final finally for fun get if import in infix init inline inner \
                   interface internal is it lateinit noinline object open operator out override package private \
                   protected public reified return sealed set super suspend tailrec this throw try typealias val var \
                   vararg when where while",
        constants: "true false null",
        habits: &[AtAttributes],
        ..NONE
    },
    Language {
        names: "swift",
        line_comments: "//",
        block_comment: Some(("/*", "*/")),
        quotes: &[TRIPLE_DOUBLE, DOUBLE],
        keywords: "actor any as associatedtype async await break case catch class continue convenience default defer \
                   deinit do else enum extension fallthrough fileprivate final for func get guard if import in indirect \
                   init inout internal is lazy let mutating nonisolated open operator override precedencegroup private \
                   protocol public repeat required rethrows return self set some static struct subscript super switch \
                   throw throws try typealias unowned var weak where while",
        types: "Self",
        constants: "true false nil",
        habits: &[AtAttributes],
        ..NONE
    },
    Language {
        names: "scala sc sbt",
        line_comments: "//",
        block_comment: Some(("/*", "*/")),
        quotes: &[TRIPLE_DOUBLE, DOUBLE, SINGLE],
        keywords: "abstract case catch class def do else enum export extends extension final finally for given if \
                   implicit import inline lazy match new object opaque override package private protected return sealed \
                   super then this throw trait try type using val var while with yield",
        constants: "true false null",
        habits: &[AtAttributes],
        ..NONE
    },
    Language {
        names: "dart",
        line_comments: "//",
        block_comment: Some(("/*", "*/")),
        quotes: &[TRIPLE_DOUBLE, TRIPLE_SINGLE, DOUBLE, SINGLE],
        keywords: "abstract as assert async await base break case catch class const continue covariant default deferred \
                   do else enum export extends extension external factory final finally for get hide if implements \
                   import in interface is late library mixin new on operator part required rethrow return sealed set \
                   show static super switch sync this throw try typedef var when while with yield",
        types: "bool double dynamic int num void",
        constants: "true false null",
        habits: &[AtAttributes],
        ..NONE
    },
    Language {
        names: "zig",
        line_comments: "//",
        quotes: &[DOUBLE, SINGLE],
        keywords: "addrspace align allowzero and anyframe anytype asm async await break callconv catch comptime const \
                   continue defer else enum errdefer error export extern fn for if inline linksection noalias noinline \
                   nosuspend opaque or orelse packed pub resume return struct suspend switch test threadlocal try union \
                   unreachable usingnamespace var volatile while",
        types: "bool f16 f32 f64 i8 i16 i32 i64 isize type u1 u8 u16 u32 u64 usize void noreturn anyerror",
        constants: "true false null undefined",
        habits: &[AtAttributes],
        ..NONE
    },
    Language {
        names: "lua luau",
        line_comments: "--",
        block_comment: Some(("--[[", "]]")),
        quotes: &[LONG_BRACKETS, DOUBLE, SINGLE],
        keywords: "and break do else elseif end for function goto if in local not or repeat return then until while",
        constants: "true false nil self _G",
        ..NONE
    },
    Language {
        names: "ruby rb gemfile rakefile",
        line_comments: "#",
        block_comment: Some(("=begin", "=end")),
        quotes: &[DOUBLE_LINES, SINGLE, BACKTICK],
        keywords: "BEGIN END alias and begin break case class def defined? do else elsif end ensure for if in module \
                   next not or redo rescue retry return self super then undef unless until when while yield require \
                   require_relative include extend attr_reader attr_writer attr_accessor private protected public raise",
        constants: "true false nil",
        word_extra: "?@",
        ..NONE
    },
    Language {
        names: "php",
        line_comments: "// #",
        block_comment: Some(("/*", "*/")),
        quotes: &[DOUBLE_LINES, SINGLE],
        keywords: "abstract and array as break callable case catch class clone const continue declare default do echo \
                   else elseif enum extends final finally fn for foreach function global goto if implements include \
                   include_once instanceof insteadof interface isset list match namespace new or print private \
                   protected public readonly require require_once return static switch throw trait try unset use var \
                   while xor yield",
        types: "bool float int iterable mixed never object string void",
        constants: "true false null",
        habits: &[Dollars, AnyCase],
        ..NONE
    },
    Language {
        names: "perl pl pm",
        line_comments: "#",
        quotes: &[DOUBLE_LINES, SINGLE],
        keywords: "and cmp die do else elsif eq eval for foreach ge given gt if last le local lt my ne next no not or \
                   our package redo require return sub unless until use when while xor",
        constants: "undef",
        habits: &[Dollars, NoCapitals],
        ..NONE
    },
    Language {
        names: "r",
        line_comments: "#",
        quotes: &[DOUBLE, SINGLE],
        keywords: "break else for function if in next repeat return while library require",
        constants: "TRUE FALSE NULL NA Inf NaN",
        word_extra: ".",
        ..NONE
    },
    Language {
        names: "julia jl",
        line_comments: "#",
        block_comment: Some(("#=", "=#")),
        quotes: &[TRIPLE_DOUBLE, DOUBLE],
        keywords: "abstract baremodule begin break catch const continue do else elseif end export finally for function \
                   global if import in isa let local macro module mutable primitive quote return struct try type using \
                   where while",
        constants: "true false nothing missing",
        word_extra: "!",
        habits: &[AtAttributes],
        ..NONE
    },
    Language {
        names: "elixir ex exs",
        line_comments: "#",
        quotes: &[TRIPLE_DOUBLE, DOUBLE, SINGLE],
        keywords: "after alias and case catch cond def defdelegate defexception defguard defimpl defmacro defmodule \
                   defp defprotocol defstruct do else end fn for if import in not or quote raise receive require rescue \
                   super throw try unless unquote use when with",
        constants: "true false nil",
        word_extra: "?",
        habits: &[AtAttributes],
        ..NONE
    },
    Language {
        names: "haskell hs",
        line_comments: "--",
        block_comment: Some(("{-", "-}")),
        quotes: &[DOUBLE],
        keywords: "as case class data default deriving do else family forall foreign hiding if import in infix infixl \
                   infixr instance let module newtype of qualified then type where",
        constants: "True False",
        word_extra: "'",
        ..NONE
    },
    Language {
        names: "ocaml ml mli",
        block_comment: Some(("(*", "*)")),
        quotes: &[DOUBLE_LINES],
        keywords: "and as assert begin class constraint do done downto else end exception external for fun function \
                   functor if in include inherit initializer lazy let match method module mutable new nonrec object of \
                   open or private rec sig struct then to try type val virtual when while with",
        types: "bool char float int list option string unit",
        constants: "true false None Some",
        word_extra: "'",
        ..NONE
    },
    Language {
        names: "clojure clj cljs edn lisp cl el scheme scm racket rkt",
        line_comments: ";",
        quotes: &[DOUBLE_LINES],
        keywords: "def defn defn- defmacro defmethod defmulti defprotocol defrecord defun define defvar defparameter do \
                   fn if if-let if-not lambda let let* letfn loop ns or and not cond case when when-let when-not recur \
                   require import set! setq progn",
        constants: "true false nil t",
        word_extra: "-?!*+/<>=.:",
        habits: &[NoCapitals],
        ..NONE
    },
];
