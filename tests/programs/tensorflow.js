// SPDX-License-Identifier: MIT
//
// tensorflow.js OUT.txt, for Deno, and for Node with Dawn (dawn.js): operations of TensorFlow.js on the WebGPU backend,
// compared with its plain JavaScript backend. OUT.txt gets a line for each operation: its name, and whether the results
// agree. Numbers are relative to the larger of 1 and the expected one.
import { writeFileSync } from 'node:fs';
import process from 'node:process';
import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-backend-cpu';
import '@tensorflow/tfjs-backend-webgpu';

const TOLERANCE = 1e-3;

// Pseudo-random numbers from -1 to 1.
function numbers(shape, seed = 1) {
    const values = new Float32Array(shape.reduce((a, b) => a * b, 1));
    for (let i = 0, x = seed; i < values.length; i++) {
        x = (x * 1103515245 + 12345) % 2147483648;
        values[i] = x / 1073741824 - 1;
    }
    return tf.tensor(values, shape);
}
const positive = (shape, seed) => tf.add(tf.abs(numbers(shape, seed)), 0.01);

const operations = {
    add: () => tf.add(numbers([33, 17]), numbers([17], 2)),
    matmul: () => tf.matMul(numbers([65, 130]), numbers([130, 70], 2)),
    matmulTransposed: () => tf.matMul(numbers([130, 65]), numbers([70, 130], 2), true, true),
    batches: () => tf.matMul(numbers([3, 20, 30]), numbers([3, 30, 10], 3)),
    matmulLarge: () => tf.matMul(numbers([128, 256]), numbers([256, 128], 2)),
    conv: () => tf.conv2d(numbers([2, 15, 15, 8]), numbers([3, 3, 8, 16], 2), 2, 'same'),
    convPoint: () => tf.conv2d(numbers([1, 16, 16, 32]), numbers([1, 1, 32, 32], 2), 1, 'valid'),
    depthwise: () => tf.depthwiseConv2d(numbers([1, 16, 16, 8]), numbers([3, 3, 8, 2], 2), 1, 'same'),
    convTransposed: () => tf.conv2dTranspose(numbers([1, 7, 7, 8]), numbers([3, 3, 4, 8], 2), [1, 14, 14, 4], 2, 'same'),
    convOddChannels: () => tf.conv2d(numbers([1, 20, 20, 3]), numbers([5, 5, 3, 7], 2), 1, 'same'),
    softmax: () => tf.softmax(numbers([20, 100])),
    exp: () => tf.exp(numbers([1000])),
    log: () => tf.log(positive([1000], 1)),
    sqrt: () => tf.sqrt(positive([1000], 1)),
    rsqrt: () => tf.rsqrt(positive([1000], 1)),
    sin: () => tf.sin(tf.mul(numbers([1000]), 10)),
    cos: () => tf.cos(tf.mul(numbers([1000]), 10)),
    tan: () => tf.tan(numbers([1000])),
    tanh: () => tf.tanh(tf.mul(numbers([1000]), 6)),
    atan2: () => tf.atan2(numbers([1000]), numbers([1000], 2)),
    pow: () => tf.pow(positive([500], 1), numbers([500], 2)),
    erf: () => tf.erf(numbers([500])),
    sigmoid: () => tf.sigmoid(tf.mul(numbers([500]), 8)),
    elu: () => tf.elu(numbers([500])),
    selu: () => tf.selu(numbers([500])),
    softplus: () => tf.softplus(numbers([500])),
    expm1: () => tf.expm1(numbers([500])),
    log1p: () => tf.log1p(positive([500], 1)),
    asin: () => tf.asin(numbers([500])),
    acos: () => tf.acos(numbers([500])),
    atan: () => tf.atan(numbers([500])),
    sinh: () => tf.sinh(numbers([500])),
    cosh: () => tf.cosh(numbers([500])),
    asinh: () => tf.asinh(numbers([500])),
    acosh: () => tf.acosh(tf.add(positive([500], 1), 1)),
    atanh: () => tf.atanh(tf.mul(numbers([500]), .9)),
    floor: () => tf.floor(tf.mul(numbers([500]), 10)),
    ceil: () => tf.ceil(tf.mul(numbers([500]), 10)),
    round: () => tf.round(tf.mul(numbers([500]), 10)),
    mod: () => tf.mod(tf.mul(numbers([500]), 10), tf.add(positive([500], 2), 1)),
    floordiv: () => tf.floorDiv(tf.cast(tf.mul(numbers([500]), 100), 'int32'), tf.cast(tf.add(tf.mul(positive([500], 3), 9), 1), 'int32')),
    mulInts: () => tf.mul(tf.cast(tf.mul(numbers([500]), 30000), 'int32'), tf.cast(tf.mul(numbers([500], 4), 30000), 'int32')),
    sum: () => tf.sum(numbers([50, 77]), 1),
    sumAll: () => tf.sum(numbers([10000])),
    mean: () => tf.mean(numbers([9, 9, 9]), [0, 2]),
    max: () => tf.max(numbers([40, 90]), 1),
    argmax: () => tf.argMax(numbers([40, 90]), 1),
    argmin: () => tf.argMin(numbers([40, 90]), 0),
    prod: () => tf.prod(tf.add(positive([10, 9], 1), .5), 1),
    any: () => tf.any(tf.cast(tf.greater(numbers([10, 9]), .8), 'bool'), 1),
    cumsum: () => tf.cumsum(numbers([10, 50]), 1),
    cumprod: () => tf.cumprod(tf.add(positive([10, 9], 1), .5), 1),
    transpose: () => tf.transpose(numbers([5, 6, 7, 8]), [3, 1, 0, 2]),
    concat: () => tf.concat([numbers([4, 5]), numbers([4, 9], 2)], 1),
    slice: () => tf.slice(numbers([9, 9, 9]), [1, 2, 3], [4, 5, 6]),
    stridedSlice: () => tf.stridedSlice(numbers([20, 20]), [1, 2], [19, 18], [3, 2]),
    pad: () => tf.pad(numbers([5, 6]), [[1, 2], [3, 4]], .5),
    mirror: () => tf.mirrorPad(numbers([5, 6]), [[1, 2], [3, 4]], 'reflect'),
    tile: () => tf.tile(numbers([3, 4]), [2, 3]),
    reverse: () => tf.reverse(numbers([5, 6]), 1),
    gather: () => tf.gather(numbers([10, 4]), tf.tensor1d([3, 1, 9, 0], 'int32')),
    gatherND: () => tf.gatherND(numbers([5, 6]), tf.tensor2d([[1, 2], [4, 5]], [2, 2], 'int32')),
    scatter: () => tf.scatterND(tf.tensor2d([[1], [4], [1]], [3, 1], 'int32'), numbers([3, 4]), [6, 4]),
    onehot: () => tf.oneHot(tf.tensor1d([1, 3, 2], 'int32'), 5),
    select: () => tf.where(tf.greater(numbers([50]), 0), numbers([50], 2), numbers([50], 3)),
    topk: () => tf.topk(numbers([5, 40]), 7).values,
    topkIndices: () => tf.topk(numbers([5, 40]), 7).indices,
    maxpool: () => tf.maxPool(numbers([1, 15, 15, 4]), 3, 2, 'same'),
    avgpool: () => tf.avgPool(numbers([1, 15, 15, 4]), 3, 2, 'valid'),
    maxpool3: () => tf.maxPool3d(numbers([1, 8, 8, 8, 2]), 2, 2, 'same'),
    resize: () => tf.image.resizeBilinear(numbers([1, 8, 9, 3]), [17, 20]),
    nearest: () => tf.image.resizeNearestNeighbor(numbers([1, 8, 9, 3]), [17, 20]),
    crop: () => tf.image.cropAndResize(numbers([1, 10, 10, 2]), tf.tensor2d([[0, 0, .5, .7]]), tf.tensor1d([0], 'int32'), [5, 5]),
    rotate: () => tf.image.rotateWithOffset(numbers([1, 10, 10, 3]), .5),
    batchNorm: () => tf.batchNorm(numbers([2, 5, 5, 4]), numbers([4], 2), positive([4], 3)),
    lrn: () => tf.localResponseNormalization(numbers([1, 5, 5, 8])),
    depthToSpace: () => tf.depthToSpace(numbers([1, 4, 4, 8]), 2),
    spaceToBatch: () => tf.spaceToBatchND(numbers([1, 4, 4, 2]), [2, 2], [[0, 0], [0, 0]]),
    batchToSpace: () => tf.batchToSpaceND(numbers([4, 2, 2, 2]), [2, 2], [[0, 0], [0, 0]]),
    fft: () => tf.real(tf.fft(tf.complex(numbers([4, 16]), numbers([4, 16], 2)))),
    einsum: () => tf.einsum('bij, bjk->bik', numbers([2, 5, 6]), numbers([2, 6, 4], 2)),
    range: () => tf.range(0, 100, 3),
    fill: () => tf.fill([4, 5], 2.5),
    equal: () => tf.equal(tf.round(tf.mul(numbers([99]), 2)), tf.round(tf.mul(numbers([99], 5), 2))),
    and: () => tf.logicalAnd(tf.greater(numbers([50]), 0), tf.greater(numbers([50], 2), 0)),
    clip: () => tf.clipByValue(numbers([50]), -.3, .4),
    prelu: () => tf.prelu(numbers([5, 6]), positive([6], 2)),
    leaky: () => tf.leakyRelu(numbers([50])),
    relu6: () => tf.relu6(tf.mul(numbers([50]), 10)),
    sign: () => tf.sign(numbers([50])),
    reciprocal: () => tf.reciprocal(positive([50], 2)),
    squaredDifference: () => tf.squaredDifference(numbers([50]), numbers([50], 2)),
    bincount: () => tf.denseBincount(tf.cast(tf.mul(positive([50], 1), 9), 'int32'), tf.tensor1d([], 'float32'), 10),
    convDilated: () => tf.conv2d(numbers([1, 12, 12, 4]), numbers([3, 3, 4, 4], 2), 1, 'same', 'NHWC', 2),
};

async function results(backend) {
    const all = {};
    if (!await tf.setBackend(backend))
        throw new Error(`there is no backend ${backend}`);
    await tf.ready();
    for (const name in operations)
        all[name] = await operations[name]().data();
    return all;
}

function worst(got, expected) {
    if (got.length !== expected.length)
        return Infinity;
    let most = 0;
    for (let i = 0; i < expected.length; i++) {
        const error = Math.abs(got[i] - expected[i]) / Math.max(1, Math.abs(expected[i]));
        most = error <= most ? most : error; // NaN stays
    }
    return most;
}

const expected = await results('cpu'), got = await results('webgpu');
const lines = Object.keys(operations).map(name => {
    const error = worst(got[name], expected[name]);
    if (!(error <= TOLERANCE))
        console.log(`${name}: off by ${error}`);
    return `${name} ${error <= TOLERANCE ? 'agrees' : 'differs'}\n`;
});
writeFileSync(process.argv.at(-1), lines.join(''));
process.exit(0);
