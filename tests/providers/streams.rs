//! Bytes of answers and what they mean, whole, in pieces and byte by byte, over HTTP and through the decoder alone.

use super::{
    bodies::{
        DONE, PATH, block, called, chunk, delta, end_block, end_calls, messages, said, start, stop, tool_use, typed,
    },
    table::streams,
    want::{Want, calls, failure, prose, text},
};
use panto::{
    config::Dialect::{self, AnthropicMessages, OpenaiChat, OpenaiResponses},
    conversation::StopReason,
    provider::ErrorKind,
};
use serde_json::json;

streams! {
    step 1;

    s01_comments: OpenaiChat
        ": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\"},\"finish_reason\":null}]}\n\n: OPENROUTER PROCESSING\n\ndata: [DONE]\n\n"
        => text("hi");
    s02_keep_alive_as_data: OpenaiChat format!("data: : keepalive\n\n{}{DONE}", said("hi")) => text("hi");
    s04_crlf_lines: OpenaiChat (said("hi") + DONE).replace('\n', "\r\n") => text("hi");
    s05_cr_lines: OpenaiChat (said("hi") + DONE).replace('\n', "\r") => text("hi");
    s07_bom: OpenaiChat format!("\u{feff}{}{}{DONE}", said("A"), said("B")) => text("AB");
    s08_no_end_mark: OpenaiChat
        said("hi") + "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"lo"
        => failure(ErrorKind::Cut, "before the answer was complete", &["hi"]);
    s08_no_end_mark_anthropic: AnthropicMessages
        typed(&[start(), block(0, json!({"type": "text", "text": ""})), delta(0, json!({"type": "text_delta", "text": "hi"}))])
        => failure(ErrorKind::Cut, "", &["hi"]);
    s08_no_end_mark_responses: OpenaiResponses
        typed(&[json!({"type": "response.output_text.delta", "output_index": 0, "delta": "hi"})])
        => failure(ErrorKind::Cut, "", &["hi"]);
    no_done_but_a_stop_reason: OpenaiChat said("hi") + &chunk(json!({}), Some("stop")) => text("hi");
    s09_text_cut_in_a_character: OpenaiChat said("你好 🌍") + &stop() => text("你好 🌍");
    s09_text_cut_in_a_character_anthropic: AnthropicMessages
        messages(&[block(0, json!({"type": "text", "text": ""})), delta(0, json!({"text": "你好 🌍"})), end_block(0)], "end_turn")
        => text("你好 🌍");
    no_space_and_several_data_lines: OpenaiChat
        "event: x\nid: 1\ndata:{\"choices\":[{\"index\":0,\ndata: \"delta\":{\"content\":\"hi\"},\"finish_reason\":null}]}\n\ndata:[DONE]\n\n"
        => text("hi");

    s11_error_object: OpenaiChat
        said("par") + "data: {\"error\":{\"code\":502,\"message\":\"worker limit reached\"},\"choices\":[]}\n\n"
        => failure(ErrorKind::Server, "(502): worker limit reached", &["par"]);
    s11_error_in_plain_words: OpenaiChat
        said("par") + "data: error: the model crashed\n\n" => failure(ErrorKind::Server, "the model crashed", &["par"]);
    s11_error_as_finish_reason: OpenaiChat
        said("par") + &chunk(json!({}), Some("error")) + DONE => failure(ErrorKind::Server, "error", &["par"]);
    s11_error_that_will_not_pass: OpenaiChat
        "data: {\"error\":{\"code\":\"context_length_exceeded\",\"message\":\"too long\"}}\n\n"
        => failure(ErrorKind::Overflow, "too long", &[]);
    s13_error_amid_a_call: AnthropicMessages
        typed(&[
            start(), block(0, tool_use("bash")), delta(0, json!({"partial_json": "{\"command\":\"rm -rf /tmp/x"})),
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
        ])
        => failure(ErrorKind::Server, "Overloaded", &[]);
    s13_error_amid_a_call_chat: OpenaiChat
        called(json!([{"index": 0, "id": "c", "function": {"name": "bash", "arguments": "{\"command\":\"x"}}]))
            + "data: {\"error\":{\"code\":529,\"message\":\"Overloaded\"},\"choices\":[]}\n\n"
        => failure(ErrorKind::Server, "Overloaded", &[]);

    s15_usage_without_choices: OpenaiChat
        said("hi") + &chunk(json!({}), Some("stop")) + "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":1}}\n\n" + DONE
        => text("hi").usage(5, 1);
    s15_usage_with_null_choices: OpenaiChat
        said("hi") + "data: {\"choices\":null,\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":1}}\n\n" + DONE
        => text("hi").usage(5, 1);
    s15_usage_with_no_choices_at_all: OpenaiChat
        said("hi") + "data: {\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":1}}\n\n" + DONE => text("hi").usage(5, 1);
    s15_usage_in_every_chunk_counts_once: OpenaiChat
        "data: {\"choices\":[{\"delta\":{\"content\":\"h\"}}],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":1}}\n\n".to_owned()
            + "data: {\"choices\":[{\"delta\":{\"content\":\"i\"}}],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2,\"prompt_tokens_details\":{\"cached_tokens\":3}}}\n\n" + DONE
        => text("hi").usage(2, 2);
    s17_nulls: OpenaiChat
        chunk(json!({"role": null, "content": "a", "tool_calls": null, "reasoning_content": null}), None)
            + &chunk(json!({"content": null, "tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": {"name": "read", "arguments": null}}]}), None)
            + &chunk(json!({"content": null, "tool_calls": [{"index": 0, "id": null, "function": {"name": null, "arguments": "{\"path\":\"a\"}"}}]}), Some("tool_calls"))
            + DONE
        => calls(&[("read", json!({"path": "a"}))]).after("a");
    s18_no_index: OpenaiChat
        chunk(json!({"tool_calls": [
            {"id": "a", "function": {"name": "read", "arguments": "{\"path\":\"1\"}"}},
            {"id": "b", "function": {"name": "read", "arguments": "{\"path\":\"2\"}"}}]}), Some("tool_calls")) + DONE
        => calls(&[("read", json!({"path": "1"})), ("read", json!({"path": "2"}))]);
    s18_no_index_in_chunks_of_their_own: OpenaiChat
        called(json!([{"id": "a", "function": {"name": "read", "arguments": "{\"path\":\"1\"}"}}]))
            + &called(json!([{"id": "b", "function": {"name": "read", "arguments": "{\"path\":\"2\"}"}}])) + &end_calls()
        => calls(&[("read", json!({"path": "1"})), ("read", json!({"path": "2"}))]);
    s18_neither_id_nor_own_index: OpenaiChat
        called(json!([{"index": 0, "id": "", "function": {"name": "read", "arguments": "{\"path\":\"1\"}"}}]))
            + &called(json!([{"index": 0, "id": "", "function": {"name": "read", "arguments": "{\"path\":\"2\"}"}}])) + &end_calls()
        => calls(&[("read", json!({"path": "1"})), ("read", json!({"path": "2"}))]);
    s20_id_and_name_in_every_chunk: OpenaiChat
        ["", "{\"command\":", "\"ls\"}"].map(|a| called(json!([{"index": 0, "id": "call_1", "function": {"name": "bash", "arguments": a}}]))).concat() + &end_calls()
        => calls(&[("bash", json!({"command": "ls"}))]);
    s21_arguments_repeated_whole: OpenaiChat
        called(json!([{"index": 0, "id": "c", "function": {"name": "bash", "arguments": "{\"command\":"}}]))
            + &called(json!([{"index": 0, "function": {"arguments": "\"ls\"}"}}]))
            + &called(json!([{"index": 0, "function": {"arguments": "{\"command\":\"ls\"}"}}])) + &end_calls()
        => calls(&[("bash", json!({"command": "ls"}))]);
    s21_call_repeated_whole: OpenaiChat
        called(json!([{"index": 0, "function": {"name": "bash", "arguments": "{\"command\":\"ls\"}"}}])).repeat(2) + &end_calls()
        => calls(&[("bash", json!({"command": "ls"}))]);
    s23_whole_call_in_one_chunk: OpenaiChat
        chunk(json!({"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "write", "arguments": "{\"path\":\"h.txt\",\"content\":\"w\"}"}}]}), Some("tool_calls")) + DONE
        => calls(&[("write", json!({"path": "h.txt", "content": "w"}))]);
    s24_no_id_in_later_chunks: OpenaiChat
        called(json!([{"index": 0, "id": "c1", "function": {"name": "grep", "arguments": ""}}]))
            + &called(json!([{"index": 0, "function": {"arguments": "{\"pattern\":\"x\"}"}}])) + &end_calls()
        => calls(&[("grep", json!({"pattern": "x"}))]);
    s26_empty_arguments: OpenaiChat
        called(json!([{"index": 0, "id": "c", "function": {"name": "pwd", "arguments": ""}}])) + &end_calls() => calls(&[("pwd", json!({}))]);
    s26_blank_arguments: OpenaiChat
        called(json!([{"index": 0, "id": "c", "function": {"name": "pwd", "arguments": "  "}}])) + &end_calls() => calls(&[("pwd", json!({}))]);
    s27_interleaved: OpenaiChat
        called(json!([{"index": 0, "id": "a", "function": {"name": "read", "arguments": PATH}}]))
            + &called(json!([{"index": 1, "id": "b", "function": {"name": "read", "arguments": PATH}}]))
            + &called(json!([{"index": 0, "function": {"arguments": "\"1\"}"}}]))
            + &called(json!([{"index": 1, "function": {"arguments": "\"2\"}"}}])) + &end_calls()
        => calls(&[("read", json!({"path": "1"})), ("read", json!({"path": "2"}))]);
    s28_calls_although_it_says_stop: OpenaiChat
        said("let me look") + &called(json!([{"index": 0, "id": "c", "function": {"name": "bash", "arguments": "{\"command\":\"ls\"}"}}])) + &stop()
        => calls(&[("bash", json!({"command": "ls"}))]).after("let me look");
    tool_use_without_a_call_is_a_stop: OpenaiChat said("hi") + &end_calls() => text("hi");
    name_late: OpenaiChat
        called(json!([{"index": 0, "id": "c", "function": {"arguments": PATH}}]))
            + &called(json!([{"index": 0, "function": {"name": "read", "arguments": "\"1\"}"}}])) + &end_calls()
        => calls(&[("read", json!({"path": "1"}))]);
    arguments_as_an_object: OpenaiChat
        called(json!([{"index": 0, "id": "c", "function": {"name": "read", "arguments": {"path": "1"}}}])) + &end_calls()
        => calls(&[("read", json!({"path": "1"}))]);
    h13_same_id_twice_in_one_message: OpenaiChat
        called(json!([{"index": 0, "id": "bash:0", "function": {"name": "bash", "arguments": "{\"command\":\"ls\"}"}}]))
            + &called(json!([{"index": 1, "id": "bash:0", "function": {"name": "bash", "arguments": "{\"command\":\"ls\"}"}}])) + &end_calls()
        => calls(&[("bash", json!({"command": "ls"}))]);

    s30_no_parameters: AnthropicMessages
        messages(&[block(0, tool_use("pwd")), json!({"type": "ping"}), delta(0, json!({"partial_json": ""})), end_block(0)], "tool_use")
        => calls(&[("pwd", json!({}))]);
    s30_input_in_the_start: AnthropicMessages
        messages(&[block(0, json!({"type": "tool_use", "id": "t", "name": "ls", "input": {"path": "."}})), end_block(0)], "tool_use")
        => calls(&[("ls", json!({"path": "."}))]);
    s30_tool_use_without_a_call: AnthropicMessages
        messages(&[block(0, json!({"type": "text", "text": ""})), delta(0, json!({"text": "hi"})), end_block(0)], "tool_use") => text("hi");
    s31_signature_in_pieces: AnthropicMessages
        messages(&[
            block(0, json!({"type": "thinking", "thinking": "", "signature": ""})), delta(0, json!({"thinking": "t"})),
            delta(0, json!({"signature": "AAA"})), delta(0, json!({"signature": "BBB"})), end_block(0),
        ], "end_turn")
        => prose(&["<t>"]).usage(10, 7);
    s32_think_tags: OpenaiChat said("<th") + &said("ink>secret</thi") + &said("nk>answer") + &stop() => prose(&["<secret>", "answer"]);
    s32_lone_close_tag: OpenaiChat said("hm.\n</thi") + &said("nk>\n\nanswer") + &stop() => prose(&["<hm.\n>", "answer"]);
    s34_literal_tags: OpenaiChat
        chunk(json!({"reasoning_content": "the tag </think> ends it"}), None) + &said("Use `<think>x</think>` in docs") + &stop()
        => prose(&["<the tag </think> ends it>", "Use `<think>x</think>` in docs"]);
    s34_tags_at_the_start_of_the_text_beside_a_reasoning_field: OpenaiChat
        chunk(json!({"reasoning": "r"}), None) + &said("<think>x</think>") + &stop() => prose(&["<r>", "<think>x</think>"]);
    r53_thinking_text_thinking_gives_three: OpenaiChat
        chunk(json!({"reasoning": "a"}), None) + &said("b") + &chunk(json!({"reasoning": "c"}), None) + &stop() => prose(&["<a>", "b", "<c>"]);

    s35_incomplete: OpenaiResponses
        typed(&[
            json!({"type": "response.output_text.delta", "output_index": 0, "delta": "par"}),
            json!({"type": "response.incomplete", "response": {"incomplete_details": {"reason": "max_output_tokens"}, "usage": {"input_tokens": 9, "output_tokens": 3, "input_tokens_details": {"cached_tokens": 4}}}}),
        ])
        => text("par").stopped(StopReason::Length).usage(5, 3);
    s35_failed: OpenaiResponses
        typed(&[
            json!({"type": "response.output_text.delta", "output_index": 0, "delta": "par"}),
            json!({"type": "response.failed", "response": {"error": {"code": "server_error", "message": "x"}}}),
        ])
        => failure(ErrorKind::Server, "(server_error): x", &["par"]);
    s35_error_event: OpenaiResponses
        typed(&[json!({"type": "error", "code": "rate_limit_exceeded", "message": "slow down", "param": null})])
        => failure(ErrorKind::RateLimit, "slow down", &[]);
    responses_reasoning_text_and_call: OpenaiResponses
        typed(&[
            json!({"type": "response.created", "response": {"id": "r"}}),
            json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "reasoning", "id": "rs_1", "summary": []}}),
            json!({"type": "response.reasoning_summary_text.delta", "output_index": 0, "summary_index": 0, "delta": "one"}),
            json!({"type": "response.reasoning_summary_text.delta", "output_index": 0, "summary_index": 1, "delta": "two"}),
            json!({"type": "response.output_item.done", "output_index": 0, "item": {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "X"}}),
            json!({"type": "response.output_item.added", "output_index": 1, "item": {"type": "message"}}),
            json!({"type": "response.output_text.delta", "output_index": 1, "delta": "so"}),
            json!({"type": "response.output_item.done", "output_index": 1, "item": {"type": "message", "content": [{"type": "output_text", "text": "so"}]}}),
            json!({"type": "response.output_item.added", "output_index": 2, "item": {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "ls", "arguments": ""}}),
            json!({"type": "response.function_call_arguments.delta", "output_index": 2, "delta": "{\"path\":\".\"}"}),
            json!({"type": "response.function_call_arguments.done", "output_index": 2, "arguments": "{\"path\":\".\"}"}),
            json!({"type": "response.output_item.done", "output_index": 2, "item": {"type": "function_call", "call_id": "c1", "name": "ls", "arguments": "{\"path\":\".\"}"}}),
            json!({"type": "response.completed", "response": {"usage": {"input_tokens": 1, "output_tokens": 2}}}),
        ])
        => Want { prose: vec!["<one\n\ntwo>", "so"], ..calls(&[("ls", json!({"path": "."}))]) }.usage(1, 2);

    s39_arguments_cut_by_the_limit: OpenaiChat
        called(json!([{"index": 0, "id": "c", "function": {"name": "write", "arguments": "{\"path\":\"a\",\"content\":\"line"}}])) + &chunk(json!({}), Some("length")) + DONE
        => calls(&[("write", json!({}))]).stopped(StopReason::Length);
    s39_arguments_cut_although_it_says_tool_calls: OpenaiChat
        called(json!([{"index": 0, "id": "c", "function": {"name": "write", "arguments": "{\"path\":\"a\",\"content\":\"line"}}])) + &end_calls()
        => calls(&[("write", json!({}))]).stopped(StopReason::Length);
    s39_arguments_cut_anthropic: AnthropicMessages
        messages(&[block(0, tool_use("write")), delta(0, json!({"partial_json": "{\"path\":\"a"})), end_block(0)], "max_tokens")
        => calls(&[("write", json!({}))]).stopped(StopReason::Length);
}
