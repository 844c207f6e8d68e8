// Successes in the shape that an SDK expects, told apart by the path: OpenAI chat completions, Anthropic messages. Errors need
// no shape of their own: both SDKs go by the status and take any JSON.

const OPENAI = JSON.stringify({
  id: 'chatcmpl-simulated',
  object: 'chat.completion',
  created: 0,
  model: 'simulated',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'ok', refusal: null }, logprobs: null, finish_reason: 'stop' },
  ],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

const ANTHROPIC = JSON.stringify({
  id: 'msg_simulated',
  type: 'message',
  role: 'assistant',
  model: 'simulated',
  content: [{ type: 'text', text: 'ok' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
});

/** Body of a success under this path, or undefined for the platform's own. */
export function dialectBody(path: string): string | undefined {
  if (path.endsWith('/chat/completions')) return OPENAI;
  return path.endsWith('/v1/messages') ? ANTHROPIC : undefined;
}
