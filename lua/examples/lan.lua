-- A provider preset: an inference server in the local network that speaks the OpenAI chat dialect. /model lists its models.
panto.ext.register_provider {
    name = "lan",
    dialect = "openai_chat",
    base_url = "http://127.0.0.1:8080/v1",
    models = {
        { id = "qwen3-coder", context = 131072, output = 16384, thinking = { "off" } },
    },
}
