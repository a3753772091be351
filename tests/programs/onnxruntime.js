// SPDX-License-Identifier: MIT
//
// onnxruntime.mjs OUT.txt: models of one operator each, run by ONNX Runtime on WebGPU and on the processor. OUT.txt gets
// a line for each of them: the operator, and whether the results agree. Numbers are relative to the larger of 1 and the
// expected one. The models are encoded here (protocol buffers, the fields of onnx.proto).
import { writeFileSync } from 'node:fs';
import process from 'node:process';
import ort from 'onnxruntime-node';

const TOLERANCE = 1e-3;
const CODES = { float32: 1, uint8: 2, int32: 6, int64: 7, bool: 9 }; // TensorProto.DataType

// ---------------------------------------------------------------- protocol buffers

function varint(value) {
    const out = [];
    let rest = BigInt.asUintN(64, BigInt(value));
    do {
        out.push(Number(rest & 127n) | (rest > 127n ? 128 : 0));
        rest >>= 7n;
    } while (rest);
    return out;
}
const integer = (field, value) => [...varint(field << 3), ...varint(value)];
const message = (field, bytes) => [...varint(field << 3 | 2), ...varint(bytes.length), ...bytes];
const text = (field, value) => message(field, new TextEncoder().encode(value));

function attribute([name, value]) {
    const [type, bytes] = typeof value === 'string' ? [3, text(4, value)]
        : Array.isArray(value) ? [7, value.flatMap(n => integer(8, n))] : [2, integer(3, value)];
    return message(5, [...text(1, name), ...bytes, ...integer(20, type)]);
}

function value_info(field, name, type, dims) {
    const shape = dims ? message(2, dims.flatMap(n => message(1, integer(1, n)))) : [];
    return message(field, [...text(1, name), ...message(2, message(1, [...integer(1, CODES[type]), ...shape]))]);
}

function model({ name, inputs, attributes, type, domain }) {
    const node = [...inputs.flatMap((_, i) => text(1, `in${i}`)), ...text(2, 'out'), ...text(4, name),
        ...Object.entries(attributes).flatMap(attribute), ...text(7, domain)];
    const ins = inputs.flatMap((t, i) => t.is_constant
        ? message(5, [...t.dims.flatMap(n => integer(1, n)), ...integer(2, CODES[t.type]), ...text(8, `in${i}`),
            ...message(9, new Uint8Array(t.data.buffer))])
        : value_info(11, `in${i}`, t.type, t.dims));
    const graph = [...message(1, node), ...text(2, 'graph'), ...ins, ...value_info(12, 'out', type)];
    const sets = [['', 17], ['com.microsoft', 1]].flatMap(([d, v]) => message(8, [...text(1, d), ...integer(2, v)]));
    return new Uint8Array([...integer(1, 8), ...message(7, graph), ...sets]);
}

// ---------------------------------------------------------------- operators

let seed = 1;
function tensor(type, dims, low = -1, high = 1) {
    const values = Array.from({ length: dims.reduce((a, b) => a * b, 1) }, () => {
        seed = (seed * 1103515245 + 12345) % 2147483648;
        return low + (high - low) * seed / 2147483648;
    });
    const whole = values.map(Math.floor);
    const data = type === 'float32' ? Float32Array.from(values) : type === 'int32' ? Int32Array.from(whole)
        : type === 'bool' ? Uint8Array.from(values, v => v > 0) : type === 'uint8' ? Uint8Array.from(whole)
        : BigInt64Array.from(whole, BigInt);
    return { type, dims, data };
}
const constant = t => ({ ...t, is_constant: true });
const list = (...values) => constant({ type: 'int64', dims: [values.length], data: BigInt64Array.from(values, BigInt) });
const floats = (...dims) => tensor('float32', dims);
const positive = (...dims) => tensor('float32', dims, .05, 1);
const ints = (low, high, ...dims) => tensor('int32', dims, low, high);

const operators = [];
function add(name, inputs, attributes = {}, type = inputs[0].type, domain = '') {
    operators.push({ name, inputs, attributes, type, domain });
}
for (const name of ['Add', 'Sub', 'Mul', 'Div', 'Pow']) {
    add(name, [positive(3, 70, 5), positive(70, 1)]);
    add(name, [ints(1, 20, 200), ints(1, 5, 200)]);
}
for (const name of ['Exp', 'Sin', 'Cos', 'Tan', 'Asin', 'Acos', 'Atan', 'Sinh', 'Cosh', 'Asinh', 'Erf', 'Sigmoid', 'Tanh', 'Floor'])
    add(name, [floats(7, 33)]);
for (const name of ['Sqrt', 'Log', 'Reciprocal'])
    add(name, [positive(500)]);
for (const name of ['ReduceMean', 'ReduceMax', 'ReduceProd', 'ReduceL2', 'ReduceLogSumExp', 'ReduceSumSquare'])
    add(name, [positive(5, 40, 33)], { axes: [1] });
add('MatMul', [floats(65, 130), floats(130, 70)]);
add('MatMul', [floats(3, 20, 30), floats(3, 30, 10)]);
add('Gemm', [floats(33, 40), floats(50, 33)], { transA: 1, transB: 1 });
add('Conv', [floats(2, 8, 15, 15), floats(16, 8, 3, 3), floats(16)], { pads: [1, 1, 1, 1], strides: [2, 2] });
add('Conv', [floats(1, 16, 16, 16), floats(16, 1, 3, 3)], { group: 16 });
add('Conv', [floats(1, 4, 12, 12), floats(4, 4, 3, 3)], { dilations: [2, 2] });
add('ConvTranspose', [floats(1, 8, 7, 7), floats(8, 4, 3, 3)], { strides: [2, 2] });
add('MaxPool', [floats(1, 4, 15, 15)], { kernel_shape: [3, 3], strides: [2, 2] });
add('AveragePool', [floats(1, 4, 15, 15)], { kernel_shape: [3, 3], strides: [2, 2] });
add('Softmax', [floats(20, 100)]);
add('ArgMax', [floats(40, 90)], { axis: 1 }, 'int64');
add('LayerNormalization', [floats(20, 64), floats(64), floats(64)]);
add('InstanceNormalization', [floats(2, 8, 9, 9), floats(8), floats(8)]);
add('Transpose', [floats(5, 6, 7, 8)], { perm: [3, 1, 0, 2] });
add('Concat', [floats(4, 5), floats(4, 9)], { axis: 1 });
add('Slice', [floats(20, 20), list(1, 2), list(19, 18), list(0, 1), list(3, 2)]);
add('Pad', [floats(5, 6), list(1, 2, 3, 4)], { mode: 'reflect' });
add('Gather', [floats(10, 4), tensor('int64', [5], 0, 10)]);
add('ScatterND', [floats(6, 4), tensor('int64', [1, 1], 0, 6), floats(1, 4)]);
add('Where', [tensor('bool', [50]), floats(50), floats(50)], {}, 'float32');
add('CumSum', [floats(10, 50), list(1)]);
add('Cast', [floats(100)], { to: CODES.int64 }, 'int64');
add('Einsum', [floats(2, 5, 6), floats(2, 6, 4)], { equation: 'bij,bjk->bik' });
add('MatMulNBits', [floats(4, 64), constant(tensor('uint8', [32, 2, 16], 0, 256)), constant(floats(64))],
    { K: 64, N: 32, bits: 4, block_size: 32 }, 'float32', 'com.microsoft');
add('MultiHeadAttention', [floats(1, 12, 32), floats(1, 12, 32), floats(1, 12, 32)], { num_heads: 4 }, 'float32', 'com.microsoft');

// ---------------------------------------------------------------- runs

async function run(operator, provider) {
    const session = await ort.InferenceSession.create(model(operator), { executionProviders: [provider] });
    const feeds = {};
    operator.inputs.forEach((t, i) => {
        if (!t.is_constant)
            feeds[`in${i}`] = new ort.Tensor(t.type, t.data, t.dims);
    });
    const { out } = await session.run(feeds);
    const values = Array.from(await out.getData(), Number);
    await session.release();
    return values;
}

const lines = [];
for (const operator of operators) {
    const expected = await run(operator, 'cpu'), got = await run(operator, 'webgpu');
    let most = got.length === expected.length ? 0 : Infinity;
    expected.forEach((value, i) => {
        const error = Object.is(got[i], value) ? 0 : Math.abs(got[i] - value) / Math.max(1, Math.abs(value));
        most = error <= most ? most : error; // NaN stays
    });
    const label = `${operator.name} ${operator.inputs.map(t => `${t.type}[${t.dims}]`).join(' ')}`;
    console.log(`${label}: off by ${most}`);
    lines.push(`${label} ${most <= TOLERANCE ? 'agrees' : 'differs'}\n`);
}
writeFileSync(process.argv.at(-1), lines.join(''));
process.exit(0);
