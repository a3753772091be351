#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""llama_model.py TYPE OUT.gguf: writes a language model of two layers with random weights, of type f32, f16, q8_0 or q4_0,
in the format GGUF 3."""
import random
import struct
import sys

TOKENS, WIDTH, LAYERS, HEADS, KV_HEADS, INNER, CONTEXT = 320, 256, 2, 4, 2, 512, 512
UINT32, INT32, FLOAT32, STRING, ARRAY = 4, 5, 6, 8, 9  # kinds of metadata
TYPES = {'f32': 0, 'f16': 1, 'q4_0': 2, 'q8_0': 8}     # of tensors
FILE_TYPES = {'f32': 0, 'f16': 1, 'q4_0': 2, 'q8_0': 7}
ALIGNMENT = 32


def string(text):
    data = text.encode()
    return struct.pack('<Q', len(data)) + data


def u32(name, value):
    return string(name) + struct.pack('<II', UINT32, value)


def f32(name, value):
    return string(name) + struct.pack('<If', FLOAT32, value)


def text(name, value):
    return string(name) + struct.pack('<I', STRING) + string(value)


def array(name, kind, items):
    return string(name) + struct.pack('<IIQ', ARRAY, kind, len(items)) + b''.join(items)


def metadata(kind):
    vocabulary = ['<unk>', '<s>', '</s>'] + [f'<0x{byte:02X}>' for byte in range(256)] + ['\u2581']
    letters = TOKENS - len(vocabulary)
    vocabulary += [chr(ord('a') + i % 26) * (1 + i // 26) for i in range(letters)]
    kinds = [2, 3, 3] + [6] * 256 + [1] * (TOKENS - 259)  # unknown, control, byte, normal
    return [
        text('general.architecture', 'llama'), u32('general.file_type', FILE_TYPES[kind]),
        u32('llama.block_count', LAYERS), u32('llama.context_length', CONTEXT), u32('llama.embedding_length', WIDTH),
        u32('llama.feed_forward_length', INNER), u32('llama.attention.head_count', HEADS),
        u32('llama.attention.head_count_kv', KV_HEADS), u32('llama.rope.dimension_count', WIDTH // HEADS),
        u32('llama.vocab_size', TOKENS), f32('llama.attention.layer_norm_rms_epsilon', 1e-5),
        text('tokenizer.ggml.model', 'llama'), array('tokenizer.ggml.tokens', STRING, [string(v) for v in vocabulary]),
        array('tokenizer.ggml.scores', FLOAT32, [struct.pack('<f', -i) for i in range(TOKENS)]),
        array('tokenizer.ggml.token_type', INT32, [struct.pack('<i', k) for k in kinds]),
        u32('tokenizer.ggml.bos_token_id', 1), u32('tokenizer.ggml.eos_token_id', 2),
        u32('tokenizer.ggml.unknown_token_id', 0),
    ]


def q8_0(block):
    step = max(map(abs, block)) / 127
    return struct.pack('<e32b', step, *(max(-127, min(127, round(x / step))) for x in block))


def q4_0(block):
    step = max(block, key=abs) / -8
    n = [min(15, max(0, int(x / step + 8.5))) for x in block]
    return struct.pack('<e16B', step, *(n[i] | n[i + 16] << 4 for i in range(16)))


def encoded(values, kind):
    if kind in ('f32', 'f16'):
        return struct.pack(f'<{len(values)}{"f" if kind == "f32" else "e"}', *values)
    encode = q8_0 if kind == 'q8_0' else q4_0
    return b''.join(encode(values[i:i + 32]) for i in range(0, len(values), 32))


def tensors(kind):
    rng = random.Random(1)

    def weights(name, columns, rows):
        values = [rng.gauss(0, columns ** -0.5) for _ in range(columns * rows)]
        return name + '.weight', (columns, rows), TYPES[kind], encoded(values, kind)

    def ones(name):
        return name + '.weight', (WIDTH,), TYPES['f32'], encoded([1] * WIDTH, 'f32')

    yield from (weights('token_embd', WIDTH, TOKENS), ones('output_norm'), weights('output', WIDTH, TOKENS))
    kv_width = WIDTH * KV_HEADS // HEADS
    for layer in range(LAYERS):
        at = f'blk.{layer}.'
        yield from (ones(at + 'attn_norm'), weights(at + 'attn_q', WIDTH, WIDTH), weights(at + 'attn_k', WIDTH, kv_width),
                    weights(at + 'attn_v', WIDTH, kv_width), weights(at + 'attn_output', WIDTH, WIDTH),
                    ones(at + 'ffn_norm'), weights(at + 'ffn_gate', WIDTH, INNER), weights(at + 'ffn_up', WIDTH, INNER),
                    weights(at + 'ffn_down', INNER, WIDTH))


def padded(data):
    return data + bytes(-len(data) % ALIGNMENT)


def main():
    kind, path = sys.argv[1:]
    pairs, heads, data = metadata(kind), [], b''
    for name, dimensions, number, values in tensors(kind):
        heads.append(string(name) + struct.pack(f'<I{len(dimensions)}QIQ', len(dimensions), *dimensions, number, len(data)))
        data += padded(values)
    head = b'GGUF' + struct.pack('<IQQ', 3, len(heads), len(pairs)) + b''.join(pairs) + b''.join(heads)
    with open(path, 'wb') as f:
        f.write(padded(head) + data)


if __name__ == '__main__':
    main()
