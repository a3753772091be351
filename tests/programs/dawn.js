// SPDX-License-Identifier: MIT
//
// dawn.mjs NAME ARGUMENTS...: runs NAME.mjs in Node with the WebGPU of a browser.
import { create, globals } from 'webgpu';
import process from 'node:process';

Object.assign(globalThis, globals);
Object.defineProperty(globalThis, 'navigator', { value: { gpu: create([]), userAgent: 'node' }, configurable: true });
await import(`./${process.argv[2]}.mjs`);
