//! The neighbours of the cases in `streams`: the same kinds of fault in other shapes. Names begin with the case.

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
use serde_json::{Value, json};

fn data(value: Value) -> String {
    format!("data: {value}\n\n")
}

/// An answer of Responses that says `hi`, with these events before its end.
fn says_hi(more: &[Value]) -> String {
    let hi = json!({"type": "response.output_text.delta", "output_index": 0, "delta": "hi"});
    typed(&[&[hi], more, &[completed(json!({}))]].concat())
}

fn completed(response: Value) -> Value {
    json!({"type": "response.completed", "response": response})
}

/// A fragment of the call `read` at index 0.
fn fragment(id: Value, name: Value, arguments: &str) -> String {
    called(json!([{"index": 0, "id": id, "function": {"name": name, "arguments": arguments}}]))
}

fn a_text(events: &[Value]) -> String {
    let hi = [block(0, json!({"type": "text", "text": ""})), delta(0, json!({"text": "hi"})), end_block(0)];
    messages(&[&hi, events].concat(), "end_turn")
}

streams! {
    step 5;

    s01_comments_of_all_kinds: OpenaiChat
        format!(":\n\n:ping\n: keep-alive {{\"error\":1}}\r\n\r\n{}:\n{}", said("hi"), stop()) => text("hi");
    s01_pings_and_unknown_events: AnthropicMessages
        format!("event: ping\ndata: {{\"type\": \"ping\"}}\n\nevent: hello\ndata: {{\"type\":\"hello\",\"x\":[1]}}\n\n{}", a_text(&[json!({"type": "content_block_heartbeat"})]))
        => text("hi");
    s01_unknown_events_of_responses: OpenaiResponses
        says_hi(&[json!({"type": "response.web_search_call.searching", "output_index": 1}), json!({"type": "keepalive", "sequence_number": 4})])
        => text("hi");
    s02_empty_data: OpenaiChat format!("data:\n\ndata: \n\ndata: null\n\n{}data::\n\n{}", said("hi"), stop()) => text("hi");
    s02_keep_alive_as_data_responses: OpenaiResponses format!("data: : keepalive\n\n{}", says_hi(&[])) => text("hi");
    s04_crlf_lines_anthropic: AnthropicMessages a_text(&[]).replace('\n', "\r\n") => text("hi");
    s05_cr_lines_responses: OpenaiResponses says_hi(&[]).replace('\n', "\r") => text("hi");
    s05_mixed_line_ends: OpenaiChat format!("{}{}{}", said("a").replace('\n', "\r"), said("b").replace('\n', "\r\n"), stop()) => text("ab");
    s05_no_blank_line_between_events: OpenaiChat (said("a") + &said("b") + &stop()).replace("\n\n", "\n") + "\n" => text("ab");
    s05_no_blank_line_between_events_anthropic: AnthropicMessages a_text(&[]).replace("\n\n", "\n") + "\n" => text("hi");
    s07_bom_and_blank_lines: OpenaiChat format!("\u{feff}\r\n\n{}{}", said("hi"), stop()) => text("hi");
    s07_bom_anthropic: AnthropicMessages format!("\u{feff}{}", a_text(&[])) => text("hi");

    s08_no_blank_line_behind_the_last_event: OpenaiChat said("hi") + chunk(json!({}), Some("stop")).trim_end() => text("hi");
    s08_no_line_end_behind_the_end_mark: OpenaiChat said("hi") + DONE.trim_end() => text("hi");
    s08_no_blank_line_behind_the_last_event_responses: OpenaiResponses says_hi(&[]).trim_end() => text("hi");
    s08_only_an_end_mark: OpenaiChat DONE => failure(ErrorKind::Cut, "before the answer was complete", &[]);
    s08_an_end_mark_of_another_dialect: OpenaiResponses
        typed(&[json!({"type": "response.output_text.delta", "output_index": 0, "delta": "hi"})]) + DONE => text("hi");
    s08_cut_behind_the_stop_reason_anthropic: AnthropicMessages a_text(&[]).replace("event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n", "") => text("hi");
    s08_an_end_mark_in_quotes: OpenaiChat said("hi") + "data: \"[DONE]\"\n\n" => text("hi");
    s09_emoji_with_joiners: OpenaiChat said("👩‍👩‍👧 e\u{301} ü") + &stop() => text("👩‍👩‍👧 e\u{301} ü");
    s09_surrogate_escapes: OpenaiChat "data: {\"choices\":[{\"delta\":{\"content\":\"\\ud83c\\udf0d\"}}]}\n\n".to_owned() + &stop() => text("🌍");

    s11_error_as_a_text: OpenaiChat said("par") + &data(json!({"error": "overloaded"})) => failure(ErrorKind::Server, "overloaded", &["par"]);
    s11_error_beside_its_flag: OpenaiChat data(json!({"error": true, "message": "no memory", "code": 507})) => failure(ErrorKind::Server, "(507): no memory", &[]);
    s11_error_within_the_choice: OpenaiChat
        data(json!({"choices": [{"index": 0, "error": {"code": 429, "message": "slow down"}, "delta": {"content": ""}}]}))
        => failure(ErrorKind::RateLimit, "slow down", &[]);
    s11_error_as_vllm_says_it: OpenaiChat
        said("par") + &data(json!({"object": "error", "message": "bad grammar", "type": "BadRequestError", "param": null, "code": 400}))
        => failure(ErrorKind::BadRequest, "(400): bad grammar", &["par"]);
    s11_error_as_fastapi_says_it: OpenaiChat data(json!({"detail": [{"loc": ["body"], "msg": "field required"}]})) => failure(ErrorKind::Server, "field required", &[]);
    s11_error_as_minimax_says_it: OpenaiChat
        data(json!({"id": "x", "choices": null, "base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}}))
        => failure(ErrorKind::Server, "(1008): insufficient balance", &[]);
    s11_error_in_a_list: OpenaiChat data(json!([{"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}}])) => failure(ErrorKind::Server, "(503): busy", &[]);
    s11_error_as_groq_says_it: OpenaiChat data(json!({"choices": [], "x_groq": {"error": "over capacity"}})) => failure(ErrorKind::Server, "over capacity", &[]);
    s11_error_event_in_plain_words: OpenaiChat said("par") + "event: error\ndata: upstream died\n\n" => failure(ErrorKind::Server, "reports an error: upstream died", &["par"]);
    s11_error_event_with_fields: OpenaiChat "event: error\ndata: {\"message\":\"upstream died\",\"code\":502}\n\n" => failure(ErrorKind::Server, "(502): upstream died", &[]);
    s11_error_as_a_field_of_the_stream: OpenaiChat said("par") + "error: {\"code\":500,\"message\":\"slot lost\"}\n\n" => failure(ErrorKind::Server, "(500): slot lost", &["par"]);
    s11_error_without_words: OpenaiChat data(json!({"error": {"reason_id": 7}})) => failure(ErrorKind::Server, "reason_id", &[]);
    s11_no_error_at_all: OpenaiChat
        data(json!({"error": null, "choices": [{"delta": {"content": "hi"}, "error": {}}]})) + &data(json!({"error": {"message": "", "code": 0}, "choices": []})) + &stop()
        => text("hi");
    s11_error_reasons_of_the_end: OpenaiChat said("par") + &chunk(json!({}), Some("network_error")) => failure(ErrorKind::Server, "network_error", &["par"]);
    s11_filtered: OpenaiChat said("par") + &chunk(json!({}), Some("SAFETY")) => failure(ErrorKind::BadRequest, "content filter", &["par"]);
    s11_overflow_in_the_stream: OpenaiResponses
        typed(&[json!({"type": "error", "error": {"type": "invalid_request_error", "code": "context_length_exceeded", "message": "too long"}})])
        => failure(ErrorKind::Overflow, "too long", &[]);
    s11_another_dialect: OpenaiChat a_text(&[]) => failure(ErrorKind::Config, "dialect = \"anthropic_messages\"", &[]);
    s11_another_dialect_anthropic: AnthropicMessages says_hi(&[]) => failure(ErrorKind::Config, "dialect = \"openai_responses\"", &[]);
    s11_another_dialect_responses: OpenaiResponses said("hi") + &stop() => failure(ErrorKind::Config, "dialect = \"openai_chat\"", &[]);
    s13_error_without_type: AnthropicMessages
        typed(&[start(), block(0, tool_use("bash")), delta(0, json!({"partial_json": "{\"command\":\"rm"}))]) + &data(json!({"error": {"type": "overloaded_error", "message": "Overloaded"}}))
        => failure(ErrorKind::Server, "Overloaded", &[]);
    s13_error_under_another_name: AnthropicMessages
        typed(&[start()]) + "event: message\ndata: {\"error\":{\"type\":\"rate_limit_error\",\"message\":\"slow down\"}}\n\n" => failure(ErrorKind::RateLimit, "slow down", &[]);
    s13_error_in_plain_words: AnthropicMessages typed(&[start()]) + "event: error\ndata: Overloaded\n\n" => failure(ErrorKind::Server, "reports an error: Overloaded", &[]);
    s13_cut_amid_a_call: AnthropicMessages typed(&[start(), block(0, tool_use("bash")), delta(0, json!({"partial_json": "{}"}))]) => failure(ErrorKind::Cut, "", &[]);
    s13_failed_amid_a_call: OpenaiResponses
        typed(&[
            json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "function_call", "call_id": "c", "name": "bash", "arguments": ""}}),
            json!({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": "{\"command\":\"rm"}),
            json!({"type": "response.failed", "response": {"status": "failed", "error": {"code": "rate_limit_exceeded", "message": "slow down"}}}),
        ])
        => failure(ErrorKind::RateLimit, "slow down", &[]);

    s15_usage_as_texts: OpenaiChat said("hi") + &stop().replace(DONE, "") + &data(json!({"usage": {"prompt_tokens": "5", "completion_tokens": 1.0}})) + DONE => text("hi").usage(5, 1);
    s15_usage_within_the_choice: OpenaiChat
        said("hi") + &data(json!({"choices": [{"delta": {}, "finish_reason": "stop", "usage": {"prompt_tokens": 5, "completion_tokens": 1, "cached_tokens": 2}}]})) + DONE
        => text("hi").usage(3, 1);
    s15_usage_in_other_names: OpenaiChat said("hi") + &data(json!({"choices": [], "usage": {"input_tokens": 5, "output_tokens": 1}})) + &stop() => text("hi").usage(5, 1);
    s15_usage_as_llama_says_it: OpenaiChat
        said("hi") + &data(json!({"choices": [{"delta": {}, "finish_reason": "stop"}], "timings": {"prompt_n": 5, "predicted_n": 1, "cache_n": 4}})) + DONE
        => text("hi").usage(5, 1);
    s15_usage_of_groq: OpenaiChat said("hi") + &data(json!({"choices": [{"delta": {}, "finish_reason": "stop"}], "x_groq": {"usage": {"prompt_tokens": 5, "completion_tokens": 1}}})) + DONE => text("hi").usage(5, 1);
    s15_usage_of_nothing_at_the_end: OpenaiChat
        said("hi") + &data(json!({"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 1}})) + &data(json!({"choices": [], "usage": {"prompt_tokens": 0, "completion_tokens": 0}})) + &stop()
        => text("hi").usage(5, 1);
    s15_usage_that_is_none: OpenaiChat said("hi") + &data(json!({"choices": [], "usage": "none"})) + &data(json!({"choices": {}, "usage": []})) + &stop() => text("hi").usage(0, 0);
    s15_usage_that_overflows: OpenaiChat
        said("hi") + &data(json!({"choices": [], "usage": {"prompt_tokens": u64::MAX, "completion_tokens": u64::MAX, "prompt_tokens_details": {"cached_tokens": u64::MAX, "cache_write_tokens": 9}}})) + &stop()
        => text("hi").usage(0, u64::MAX);
    s15_usage_with_nulls: AnthropicMessages
        typed(&[json!({"type": "message_start", "message": {"usage": null}}), block(0, json!({"type": "text", "text": "hi"})), end_block(0),
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn", "usage": {"output_tokens": "3"}}, "usage": {"input_tokens": 9, "cache_read_input_tokens": null}}),
            json!({"type": "message_stop", "usage": {"output_tokens": 4}})])
        => text("hi").usage(9, 4);
    s15_one_of_several_answers: OpenaiChat
        data(json!({"choices": [{"index": 0, "delta": {"content": "hi"}}, {"index": 1, "delta": {"content": "NO"}}]})) + &data(json!({"choices": [{"index": 1, "delta": {"content": "NO"}}]})) + &stop()
        => text("hi");

    s17_nulls_everywhere: OpenaiChat
        data(json!({"id": null, "choices": [{"index": null, "delta": null, "finish_reason": null, "logprobs": null}], "usage": null, "error": null}))
            + &data(json!({"choices": [{"delta": {"content": "a", "tool_calls": [null], "function_call": null, "refusal": null, "reasoning_details": null}}]})) + &stop()
        => text("a");
    s17_fields_of_the_wrong_kind: OpenaiChat
        data(json!({"id": 7, "choices": [{"index": "0", "delta": {"role": 1, "content": "a", "tool_calls": {}, "reasoning_content": false, "refusal": []}, "finish_reason": false}]}))
            + &stop()
        => text("a");
    s17_null_calls_of_responses: OpenaiResponses
        says_hi(&[json!({"type": "response.output_item.added", "output_index": null, "item": null}), json!({"type": "response.output_item.done", "output_index": "1", "item": {"type": "message", "content": null}})])
        => text("hi");
    s17_nulls_of_blocks: AnthropicMessages
        messages(&[block(0, json!({"type": "text", "text": null, "citations": null})), delta(0, json!({"type": "text_delta", "text": "hi", "partial_json": null})), delta(0, Value::Null), end_block(0)], "end_turn")
        => text("hi");
    s17_the_index_is_null: AnthropicMessages
        typed(&[start(), json!({"type": "content_block_start", "index": null, "content_block": tool_use("ls")}), json!({"type": "content_block_delta", "delta": {"partial_json": "{\"path\":\".\"}"}}),
            json!({"type": "content_block_stop"}), json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}), json!({"type": "message_stop"})])
        => calls(&[("ls", json!({"path": "."}))]);
    s17_one_call_that_is_no_list: OpenaiChat
        called(json!({"index": "0", "id": 17, "function": {"name": "read", "arguments": "{\"path\":\"1\"}"}})) + &end_calls() => calls(&[("read", json!({"path": "1"}))]);
    s17_the_first_version_of_calls: OpenaiChat
        chunk(json!({"content": null, "function_call": {"name": "read", "arguments": ""}}), None) + &chunk(json!({"function_call": {"arguments": PATH}}), None)
            + &chunk(json!({"function_call": {"arguments": "\"1\"}"}}), None) + &chunk(json!({}), Some("function_call")) + DONE
        => calls(&[("read", json!({"path": "1"}))]);
    s17_whole_messages_in_a_stream: OpenaiChat
        data(json!({"choices": [{"message": {"content": "a"}}]})) + &data(json!({"choices": [{"message": {"content": "b"}}]})) + &stop() => text("ab");
    s17_a_whole_message_behind_its_deltas: OpenaiChat
        said("hi") + &data(json!({"choices": [{"message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}]})) + DONE => text("hi");

    s18_calls_of_responses_without_a_place: OpenaiResponses
        typed(&[
            json!({"type": "response.output_item.added", "item": {"type": "function_call", "id": "f1", "call_id": "a", "name": "read", "arguments": ""}}),
            json!({"type": "response.output_item.added", "item": {"type": "function_call", "id": "f2", "call_id": "b", "name": "read", "arguments": ""}}),
            json!({"type": "response.function_call_arguments.delta", "item_id": "f1", "delta": "{\"path\":\"1\"}"}),
            json!({"type": "response.function_call_arguments.delta", "item_id": "f2", "delta": "{\"path\":\"2\"}"}),
            completed(json!({"status": "completed"})),
        ])
        => calls(&[("read", json!({"path": "1"})), ("read", json!({"path": "2"}))]);
    s18_calls_of_responses_at_one_place: OpenaiResponses
        typed(&["1", "2"].map(|n| json!({"type": "response.output_item.done", "output_index": 0, "item": {"type": "function_call", "call_id": n, "name": "read", "arguments": {"path": n}}})))
            + &typed(&[completed(Value::Null)])
        => calls(&[("read", json!({"path": "1"})), ("read", json!({"path": "2"}))]);
    s20_a_new_id_in_every_chunk: OpenaiChat
        fragment(json!("x1"), json!("read"), PATH) + &fragment(json!("x2"), Value::Null, "\"1") + &fragment(json!("x3"), json!("read"), "\"}") + &end_calls()
        => calls(&[("read", json!({"path": "1"}))]);
    s20_the_id_comes_late: OpenaiChat
        fragment(Value::Null, json!("read"), PATH) + &fragment(json!("c"), json!(""), "\"1\"") + &fragment(json!("c"), Value::Null, "}") + &end_calls()
        => calls(&[("read", json!({"path": "1"}))]);
    s20_item_ids_that_change: OpenaiResponses
        typed(&[
            json!({"type": "response.output_item.added", "output_index": 1, "item": {"type": "function_call", "id": "x1", "call_id": "c", "name": "ls", "arguments": ""}}),
            json!({"type": "response.function_call_arguments.delta", "output_index": 1, "item_id": "x2", "delta": "{\"path\":"}),
            json!({"type": "response.function_call_arguments.delta", "output_index": 1, "item_id": "x3", "delta": "\".\"}"}),
            json!({"type": "response.output_item.done", "output_index": 1, "item": {"type": "function_call", "id": "x4", "call_id": "c", "name": "ls", "arguments": "{\"path\":\".\"}"}}),
            completed(json!({"output": [{"type": "function_call", "id": "x5", "call_id": "c", "name": "ls", "arguments": "{\"path\":\".\"}"}]})),
        ])
        => calls(&[("ls", json!({"path": "."}))]);
    s21_arguments_that_grow: OpenaiChat
        ["{\"pa", "{\"path\":", "{\"path\":\"1", "{\"path\":\"1\"}"].map(|a| fragment(json!("c"), json!("read"), a)).concat() + &end_calls()
        => calls(&[("read", json!({"path": "1"}))]);
    s21_a_placeholder_before_the_arguments: OpenaiChat
        fragment(json!("c"), json!("read"), "{}") + &fragment(Value::Null, Value::Null, PATH) + &fragment(Value::Null, Value::Null, "\"1\"}") + &end_calls()
        => calls(&[("read", json!({"path": "1"}))]);
    s21_repeated_in_other_spacing: OpenaiChat
        fragment(json!("c"), json!("read"), "{\"path\":\"1\"}") + &fragment(json!("c"), json!("read"), "{ \"path\": \"1\" }\n") + &end_calls()
        => calls(&[("read", json!({"path": "1"}))]);
    s21_repeated_without_id_and_index: OpenaiChat
        called(json!([{"function": {"name": "read", "arguments": "{\"path\":\"1\"}"}}])).repeat(2) + &end_calls() => calls(&[("read", json!({"path": "1"}))]);
    s23_whole_call_in_one_event: OpenaiResponses
        typed(&[completed(json!({"object": "response", "output": [{"type": "message", "content": [{"type": "output_text", "text": "so"}]}, {"type": "function_call", "call_id": "c", "name": "ls", "arguments": "{\"path\":\".\"}"}]}))])
        => calls(&[("ls", json!({"path": "."}))]).after("so");
    s23_a_call_that_only_the_end_knows: OpenaiResponses
        typed(&[
            json!({"type": "response.output_text.delta", "output_index": 0, "delta": "hi"}),
            completed(json!({"output": [{"type": "message", "content": [{"type": "output_text", "text": "hi"}]}, {"type": "function_call", "call_id": "c", "name": "ls", "arguments": "{}"}]})),
        ])
        => calls(&[("ls", json!({}))]).after("hi");
    s24_fragments_with_nothing_but_text: OpenaiChat
        called(json!([{"id": "c", "function": {"name": "read", "arguments": ""}}])) + &called(json!([{"function": {"arguments": PATH}}])) + &called(json!([{"function": {"arguments": "\"1\"}"}}])) + &end_calls()
        => calls(&[("read", json!({"path": "1"}))]);
    s26_arguments_of_no_kind: OpenaiChat
        [json!(null), json!("null"), json!("\"\""), json!({}), json!("\n")].into_iter().enumerate()
            .map(|(n, a)| called(json!([{"index": n, "id": format!("c{n}"), "function": {"name": "pwd", "arguments": a}}]))).collect::<String>() + &end_calls()
        => calls(&[("pwd", json!({})), ("pwd", json!({})), ("pwd", json!({})), ("pwd", json!({})), ("pwd", json!({}))]);
    s26_arguments_as_json_in_a_text: OpenaiChat fragment(json!("c"), json!("read"), "\"{\\\"path\\\":\\\"1\\\"}\"") + &end_calls() => calls(&[("read", json!({"path": "1"}))]);
    s26_no_arguments_at_all_responses: OpenaiResponses
        typed(&[json!({"type": "response.output_item.done", "output_index": 0, "item": {"type": "function_call", "call_id": "c", "name": "pwd"}}), completed(json!({}))])
        => calls(&[("pwd", json!({}))]);
    s27_interleaved_anthropic: AnthropicMessages
        messages(&[
            block(0, json!({"type": "tool_use", "id": "a", "name": "read", "input": {}})), block(1, json!({"type": "tool_use", "id": "b", "name": "read", "input": {}})),
            delta(0, json!({"partial_json": PATH})), delta(1, json!({"partial_json": PATH})), delta(0, json!({"partial_json": "\"1\"}"})), delta(1, json!({"partial_json": "\"2\"}"})),
            end_block(1), end_block(0),
        ], "tool_use")
        => calls(&[("read", json!({"path": "1"})), ("read", json!({"path": "2"}))]);
    s27_text_between_the_fragments: OpenaiChat
        fragment(json!("a"), json!("read"), PATH) + &said("wait") + &fragment(Value::Null, Value::Null, "\"1\"}") + &end_calls()
        => calls(&[("read", json!({"path": "1"}))]).after("wait");
    s28_calls_without_a_reason: OpenaiChat fragment(json!("a"), json!("read"), "{\"path\":\"1\"}") + DONE => calls(&[("read", json!({"path": "1"}))]);
    s28_calls_although_it_says_end_turn: AnthropicMessages messages(&[block(0, tool_use("pwd")), end_block(0)], "end_turn") => calls(&[("pwd", json!({}))]);
    s28_calls_at_eos: OpenaiChat fragment(json!("a"), json!("read"), "{\"path\":\"1\"}") + &chunk(json!({}), Some("eos")) + DONE => calls(&[("read", json!({"path": "1"}))]);

    s30_the_end_of_a_block_is_missing: AnthropicMessages
        messages(&[block(0, json!({"type": "text", "text": ""})), delta(0, json!({"text": "so"})), block(1, json!({"type": "tool_use", "id": "t", "name": "ls", "input": {"path": "."}}))], "tool_use")
        => calls(&[("ls", json!({"path": "."}))]).after("so");
    s30_the_start_of_a_block_is_missing: AnthropicMessages messages(&[delta(0, json!({"type": "text_delta", "text": "hi"})), end_block(0)], "end_turn") => text("hi");
    s30_the_blocks_of_a_servers_own_tools: AnthropicMessages
        a_text(&[block(1, json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}})), delta(1, json!({"partial_json": "{\"query\":\"x\"}"})), end_block(1),
            block(2, json!({"type": "web_search_tool_result", "content": [{"type": "web_search_result"}]})), end_block(2)])
        => text("hi");
    s31_signature_in_the_start: AnthropicMessages
        messages(&[block(0, json!({"type": "thinking", "thinking": "t", "signature": "S"})), end_block(0), block(1, json!({"type": "text", "text": "hi"})), end_block(1)], "end_turn") => prose(&["<t>", "hi"]);
    s32_tags_at_each_cut: OpenaiChat "<think>a</think>b".chars().map(|c| said(&c.to_string())).collect::<String>() + &stop() => prose(&["<a>", "b"]);
    s32_a_tag_that_never_closes: OpenaiChat said("<think>still thinking </thi") + &stop() => prose(&["<still thinking </thi>"]);
    s34_reasoning_as_text_of_copilot: OpenaiChat chunk(json!({"reasoning_text": "r"}), None) + &said("hi") + &stop() => prose(&["<r>", "hi"]);
    s34_reasoning_as_an_object: OpenaiChat chunk(json!({"reasoning": {"content": "r"}}), None) + &said("hi") + &stop() => prose(&["<r>", "hi"]);
    s34_reasoning_under_two_names: OpenaiChat chunk(json!({"reasoning": "r", "reasoning_content": "r", "reasoning_details": [{"type": "reasoning.text", "text": "r", "index": 0}]}), None) + &said("hi") + &stop() => prose(&["<r>", "hi"]);
    s34_reasoning_in_details_only: OpenaiChat chunk(json!({"content": "", "reasoning_details": [{"type": "reasoning.text", "text": "r"}]}), None) + &said("hi") + &stop() => prose(&["<r>", "hi"]);
    s34_reasoning_in_parts: OpenaiChat chunk(json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "r"}]}, {"type": "text", "text": "hi"}]}), None) + &stop() => prose(&["<r>", "hi"]);
    s34_content_as_one_part: OpenaiChat chunk(json!({"content": {"type": "text", "text": "hi"}}), None) + &stop() => text("hi");

    s35_incomplete_under_the_name_of_complete: OpenaiResponses
        says_hi(&[]).replace("\"response\":{}", "\"response\":{\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":\"max_output_tokens\"}}") => text("hi").stopped(StopReason::Length);
    s35_filtered: OpenaiResponses typed(&[json!({"type": "response.incomplete", "response": {"incomplete_details": {"reason": "content_filter"}}})]) => failure(ErrorKind::BadRequest, "content filter", &[]);
    s35_failed_without_a_reason: OpenaiResponses typed(&[json!({"type": "response.failed", "response": {"status": "failed", "error": null}})]) => failure(ErrorKind::Server, "gave no reason", &[]);
    s35_failed_under_the_name_of_complete: OpenaiResponses typed(&[completed(json!({"status": "failed", "error": {"code": "server_error", "message": "x"}}))]) => failure(ErrorKind::Server, "(server_error): x", &[]);
    s35_error_with_an_object: OpenaiResponses typed(&[json!({"type": "error", "error": {"type": "server_error", "message": "boom"}})]) => failure(ErrorKind::Server, "boom", &[]);
    s35_only_the_whole_text: OpenaiResponses
        typed(&[json!({"type": "response.created"}), json!({"type": "response.output_text.done", "output_index": 0, "text": "hi"}), completed(json!({}))]) => text("hi");

    s39_arguments_cut_responses: OpenaiResponses
        typed(&[
            json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "function_call", "call_id": "c", "name": "write", "arguments": ""}}),
            json!({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": "{\"path\":\"a"}),
            json!({"type": "response.incomplete", "response": {"incomplete_details": {"reason": "max_output_tokens"}}}),
        ])
        => calls(&[("write", json!({}))]).stopped(StopReason::Length);
    s39_length_in_other_words: OpenaiChat said("par") + &chunk(json!({}), Some("MAX_TOKENS")) + DONE => text("par").stopped(StopReason::Length);
    s39_one_whole_call_and_one_cut: OpenaiChat
        called(json!([{"index": 0, "id": "a", "function": {"name": "ls", "arguments": "{\"path\":\"1\"}"}}])) + &called(json!([{"index": 1, "id": "b", "function": {"name": "write", "arguments": "{\"edits\":[{\"a\":1}"}}]))
            + &chunk(json!({}), Some("length")) + DONE
        => Want { stop: Some(StopReason::Length), ..calls(&[("ls", json!({"path": "1"})), ("write", json!({}))]) };

    h13_no_ids_at_all: OpenaiChat
        called(json!([{"index": 0, "function": {"name": "ls", "arguments": "{}"}}, {"index": 1, "function": {"name": "pwd", "arguments": "{}"}}])) + &end_calls() => calls(&[("ls", json!({})), ("pwd", json!({}))]);
    h13_same_id_again_with_other_arguments: OpenaiChat
        called(json!([{"id": "c", "function": {"name": "read", "arguments": "{\"path\":\"1\"}"}}])) + &called(json!([{"id": "c", "function": {"name": "read", "arguments": "{\"path\":\"2\"}"}}])) + &end_calls()
        => calls(&[("read", json!({"path": "1"}))]);
}
