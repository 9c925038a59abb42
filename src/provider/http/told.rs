//! What lists of models tell, in the words of each server: windows, answers, inputs, prices. Pure.
//!
//! OpenAI's list has names only. vLLM adds `max_model_len`, OpenRouter `context_length`, `architecture` and `pricing`, Groq
//! `context_window`, Mistral `max_context_length` and `capabilities`; Ollama, LM Studio and llama.cpp say more elsewhere.

use crate::config::ModelConfig;
use crate::conversation::Price;
use reqwest::Url;
use serde_json::Value;

/// Windows that are believed.
const WINDOWS: std::ops::RangeInclusive<u64> = 256..=1 << 30;

/// Servers that say more than their list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Ollama,
    LmStudio,
    LlamaCpp,
    Other,
}

/// By the provider's name, else by whom the server names as the owner of its models.
pub fn kind(provider: &str, url: &Url, list: &Value) -> Kind {
    let owner = list["data"][0]["owned_by"].as_str().unwrap_or_default();
    match (provider, owner, url.port()) {
        ("ollama", ..) | (_, "library", _) | (_, _, Some(11434)) => Kind::Ollama,
        ("lmstudio", ..) | (_, "organization_owner", _) => Kind::LmStudio,
        ("llamacpp", ..) | (_, "llamacpp", _) => Kind::LlamaCpp,
        _ => Kind::Other,
    }
}

/// A path at the root that the API lies below: `http://h/v1/models` → `http://h/props`.
pub fn beside(models: &Url, path: &str) -> Url {
    let mut url = models.clone();
    let root = url.path().trim_end_matches("/models").trim_end_matches("/v1").to_owned();
    url.set_path(&format!("{root}/{path}"));
    url
}

/// None for what is no list of models.
pub fn models(list: &Value) -> Option<Vec<ModelConfig>> {
    let rows = list.get("data").or_else(|| list.get("models")).unwrap_or(list).as_array()?;
    Some(rows.iter().filter_map(model).collect())
}

fn model(row: &Value) -> Option<ModelConfig> {
    let text = |key: &str| row[key].as_str().filter(|s| !s.trim().is_empty());
    let id = text("id").or(text("name")).or(text("model"))?;
    let name = text("display_name").or(text("name")).filter(|name| *name != id);
    let windows = ["max_model_len", "context_length", "context_window", "max_context_length", "max_input_tokens"];
    let answers = ["max_completion_tokens", "max_output_tokens"];
    let answer = answers.iter().map(|key| &row[*key]).find_map(size).or_else(|| size(&row["top_provider"][answers[0]]));
    let context = windows.iter().map(|key| &row[*key]).find_map(size);
    Some(ModelConfig {
        id: id.to_owned(),
        name: name.map(str::to_owned),
        context,
        output: answer.filter(|tokens| context.is_none_or(|window| *tokens < window)),
        input: input(row),
        thinking: None,
        price: price(&row["pricing"]),
        picture: None,
    })
}

fn size(value: &Value) -> Option<u64> {
    value.as_u64().filter(|tokens| WINDOWS.contains(tokens))
}

fn input(row: &Value) -> Option<Vec<String>> {
    let kinds = |images: bool| if images { vec!["text".into(), "image".into()] } else { vec!["text".into()] };
    if let Some(modalities) = row["architecture"]["input_modalities"].as_array() {
        return Some(kinds(modalities.iter().any(|m| m == "image")));
    }
    row["capabilities"]["vision"].as_bool().map(kinds)
}

/// OpenRouter's: USD for one token, as texts.
fn price(pricing: &Value) -> Option<Price> {
    let per_million = |key: &str| {
        let usd: f64 = pricing[key].as_str()?.parse().ok()?;
        // The nearest millionth: a thousandth of a cent more or less is the parser's.
        (usd.is_finite() && usd >= 0.0).then(|| (usd * 1e12).round() / 1e6)
    };
    let or_nothing = |key: &str| per_million(key).unwrap_or_default();
    Some(Price {
        input: per_million("prompt")?,
        output: per_million("completion")?,
        cache_read: or_nothing("input_cache_read"),
        cache_write: or_nothing("input_cache_write"),
    })
}

/// `/api/show`: the window that the model is set up with, else the largest that it can have. False: it cannot chat.
pub fn of_ollama(told: &Value, model: &mut ModelConfig) -> bool {
    let set = told["parameters"].as_str().and_then(|text| {
        let line = text.lines().find_map(|line| line.trim().strip_prefix("num_ctx"))?;
        line.trim().parse().ok().filter(|tokens| WINDOWS.contains(tokens))
    });
    let largest = told["model_info"].as_object().and_then(|info| {
        info.iter().find(|(key, _)| key.ends_with(".context_length")).and_then(|(_, value)| size(value))
    });
    model.context = set.or(largest).or(model.context);
    let Some(can) = told["capabilities"].as_array() else { return true };
    let has = |word: &str| can.iter().any(|c| c == word);
    model.input = Some(if has("vision") { vec!["text".into(), "image".into()] } else { vec!["text".into()] });
    has("completion")
}

/// `/api/ps`: the windows of the models that are loaded, as they really are.
pub fn of_ollama_loaded(told: &Value, models: &mut [ModelConfig]) {
    each(told, "models", "name", models, |row, model| model.context = size(&row["context_length"]).or(model.context));
}

/// `/api/v0/models`: the window that is loaded, else the largest; what embeds cannot chat.
pub fn of_lm_studio(told: &Value, models: &mut Vec<ModelConfig>) {
    each(told, "data", "id", models, |row, model| {
        let loaded = size(&row["loaded_context_length"]);
        model.context = loaded.or_else(|| size(&row["max_context_length"])).or(model.context);
        if row["type"] == "vlm" {
            model.input = Some(vec!["text".into(), "image".into()]);
        }
    });
    let embeds =
        |m: &ModelConfig| rows(told, "data").any(|row| row["id"] == m.id.as_str() && row["type"] == "embeddings");
    models.retain(|m| !embeds(m));
}

/// `/props`: the window of a slot; the server has one model.
pub fn of_llama_cpp(told: &Value, models: &mut [ModelConfig]) {
    let window = size(&told["default_generation_settings"]["n_ctx"]);
    let vision = told["modalities"]["vision"].as_bool().unwrap_or(false);
    for model in models {
        model.context = window.or(model.context);
        model.input = vision.then(|| vec!["text".into(), "image".into()]).or(model.input.take());
    }
}

fn rows<'a>(told: &'a Value, list: &str) -> impl Iterator<Item = &'a Value> {
    told[list].as_array().into_iter().flatten()
}

fn each(told: &Value, list: &str, id: &str, models: &mut [ModelConfig], add: impl Fn(&Value, &mut ModelConfig)) {
    for row in rows(told, list) {
        models.iter_mut().filter(|m| row[id] == m.id.as_str()).for_each(|model| add(row, model));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn one(row: Value) -> ModelConfig {
        models(&json!({"data": [row]})).expect("a list").remove(0)
    }

    #[test]
    fn windows_in_the_words_of_each_server() {
        for (row, context, output) in [
            (json!({"id": "m"}), None, None),
            (json!({"id": "m", "max_model_len": 32768}), Some(32768), None),
            (json!({"id": "m", "context_window": 131072, "max_completion_tokens": 65536}), Some(131_072), Some(65536)),
            (json!({"id": "m", "max_context_length": 128000}), Some(128_000), None),
            (
                json!({"id": "m", "context_length": 9000, "top_provider": {"max_completion_tokens": 9000}}),
                Some(9000),
                None,
            ),
            (json!({"id": "m", "context_length": "9000", "max_model_len": 0}), None, None),
            (json!({"id": "m", "max_model_len": u64::MAX}), None, None),
        ] {
            let told = one(row.clone());
            assert_eq!((told.context, told.output), (context, output), "{row}");
        }
    }

    #[test]
    fn inputs_and_prices_of_a_gateway() {
        let told = one(json!({"id": "a/b", "name": "B", "architecture": {"input_modalities": ["text", "image"]},
            "pricing": {"prompt": "0.000003", "completion": "0.000015", "input_cache_read": "0.0000003"}}));
        assert_eq!(told.input, Some(vec!["text".to_owned(), "image".to_owned()]));
        assert_eq!(told.price, Some(Price { input: 3.0, output: 15.0, cache_read: 0.3, cache_write: 0.0 }));
        assert_eq!(one(json!({"id": "m", "pricing": {"prompt": "-1", "completion": "-1"}})).price, None);
    }

    #[test]
    fn ollama_says_the_window_that_is_set_then_the_largest_then_the_loaded_one() {
        let mut model = one(json!({"id": "llama3:8b"}));
        let info =
            json!({"model_info": {"general.x": 1, "llama.context_length": 131072}, "capabilities": ["completion"]});
        assert!(of_ollama(&info, &mut model));
        assert_eq!((model.context, model.input.clone()), (Some(131_072), Some(vec!["text".to_owned()])));
        let mut set = info.clone();
        set["parameters"] = "stop \"x\"\nnum_ctx                        4096".into();
        assert!(of_ollama(&set, &mut model));
        assert_eq!(model.context, Some(4096));
        let mut models = vec![model];
        of_ollama_loaded(&json!({"models": [{"name": "llama3:8b", "context_length": 8192}]}), &mut models);
        assert_eq!(models[0].context, Some(8192));
        assert!(!of_ollama(&json!({"capabilities": ["embedding"]}), &mut models[0]));
    }

    #[test]
    fn lm_studio_and_llama_cpp() {
        let mut models = vec![one(json!({"id": "a"})), one(json!({"id": "e"}))];
        of_lm_studio(
            &json!({"data": [{"id": "a", "type": "vlm", "max_context_length": 32768, "loaded_context_length": 4096},
            {"id": "e", "type": "embeddings"}]}),
            &mut models,
        );
        assert_eq!((models.len(), models[0].context), (1, Some(4096)));
        of_llama_cpp(&json!({"default_generation_settings": {"n_ctx": 16384}}), &mut models);
        assert_eq!(models[0].context, Some(16384));
        assert_eq!(models[0].input.as_ref().map(Vec::len), Some(2));
    }

    #[test]
    fn paths_beside_the_api() {
        for (list, path) in [("http://h:1/v1/models", "http://h:1/props"), ("http://h/x/v1/models", "http://h/x/props")]
        {
            assert_eq!(beside(&Url::parse(list).expect("a URL"), "props").as_str(), path);
        }
    }

    #[test]
    fn whose_server_it_is() {
        let url = Url::parse("http://h:1/v1/models").expect("a URL");
        let owned = |by: &str| json!({"data": [{"id": "m", "owned_by": by}]});
        assert_eq!(kind("mine", &url, &owned("library")), Kind::Ollama);
        assert_eq!(kind("mine", &url, &owned("llamacpp")), Kind::LlamaCpp);
        assert_eq!(kind("lmstudio", &url, &json!({})), Kind::LmStudio);
        assert_eq!(kind("mine", &url, &owned("me")), Kind::Other);
    }
}
