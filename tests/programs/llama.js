// SPDX-License-Identifier: MIT
//
// llama.mjs MODEL.gguf OUT.txt: evaluates a prompt on the Vulkan device and on the processor, and writes how far the
// probabilities of the next token are apart.
import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { getLlama, LlamaLogLevel } from 'node-llama-cpp';

const TOLERANCE = 0.002; // the most probable of 320 tokens has about 0.03
const PROMPT = 'the quick brown fox jumps over the lazy dog and the hare';
const [model_path, out_path] = process.argv.slice(2);

async function probabilities(gpu) {
    const llama = await getLlama({ gpu, build: 'never', skipDownload: true, logLevel: LlamaLogLevel.warn });
    const names = await llama.getGpuDeviceNames();
    if (gpu && !names.length)
        throw new Error('there is no device');
    console.log(names.join(' '));
    const model = await llama.loadModel({ modelPath: model_path, gpuLayers: gpu ? 'max' : 0 });
    const context = await model.createContext({ contextSize: 256 });
    const tokens = model.tokenize(PROMPT);
    const last = [tokens.pop(), { generateNext: { probabilities: true } }];
    const done = await context.getSequence().controlledEvaluate([...tokens, last]);
    return done.at(-1).next.probabilities;
}

const there = await probabilities(false), here = await probabilities('vulkan');
let apart = 0;
for (const [token, p] of there)
    apart = Math.max(apart, Math.abs(p - (here.get(token) ?? 0)));
console.log(`${there.size} tokens, probabilities at most ${apart} apart`);
writeFileSync(out_path, there.size > 100 && apart < TOLERANCE ? 'agrees\n' : 'differs\n');
process.exit(0);
