// SPDX-License-Identifier: MIT
//
// webgpu.js OUT.png, for Deno, and for Node with Dawn (webgpu.mjs): computes, checks the numbers, then draws nine cubes
// with a texture, depth and four samples, and writes the picture.
import { writeFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { Buffer } from 'node:buffer';
import process from 'node:process';

const SIZE = 256, NUMBERS = 1024, GROUP = 256;

const adapter = await navigator.gpu.requestAdapter();
if (!adapter)
    throw new Error('there is no adapter');
console.log(`${adapter.info.device} ${adapter.info.description}`, [...adapter.features].join(' '));
const device = await adapter.requestDevice();
device.onuncapturederror = event => {
    console.error(event.error.message);
    process.exit(1);
};

function buffer(size, usage, data) {
    const made = device.createBuffer({ size, usage: usage | GPUBufferUsage.COPY_DST });
    if (data)
        device.queue.writeBuffer(made, 0, data);
    return made;
}

async function read(from, Type) {
    await from.mapAsync(GPUMapMode.READ);
    return new Type(from.getMappedRange().slice(0));
}

// ---------------------------------------------------------------- numbers

async function compute() {
    const module = device.createShaderModule({ code: `
        @group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
        var<workgroup> steps: array<u32, ${GROUP}>;
        fn collatz(first: u32) -> u32 {
            var n = first;
            var count = 0u;
            loop {
                if (n <= 1u) { break; }
                if (n % 2u == 0u) { n = n / 2u; } else { n = 3u * n + 1u; }
                count++;
            }
            return count;
        }
        @compute @workgroup_size(${GROUP})
        fn main(@builtin(global_invocation_id) at: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
            steps[lane] = collatz(numbers[at.x]);
            workgroupBarrier();
            numbers[at.x] = steps[${GROUP - 1}u - lane];
        }` });
    const pipeline = await device.createComputePipelineAsync({ layout: 'auto', compute: { module, entryPoint: 'main' } });
    const numbers = buffer(4 * NUMBERS, GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC,
                           Uint32Array.from({ length: NUMBERS }, (_, i) => i + 1));
    const result = buffer(4 * NUMBERS, GPUBufferUsage.MAP_READ);
    const encoder = device.createCommandEncoder(), pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0),
                                                  entries: [{ binding: 0, resource: { buffer: numbers } }] }));
    pass.dispatchWorkgroups(NUMBERS / GROUP);
    pass.end();
    encoder.copyBufferToBuffer(numbers, 0, result, 0, 4 * NUMBERS);
    device.queue.submit([encoder.finish()]);
    const steps = n => {
        let count = 0;
        for (; n > 1; count++)
            n = n % 2 ? 3 * n + 1 : n / 2;
        return count;
    };
    (await read(result, Uint32Array)).forEach((got, i) => {
        const first = i - i % GROUP, expected = steps(first + GROUP - i % GROUP);
        if (got !== expected)
            throw new Error(`number ${i} is ${got}, not ${expected}`);
    });
}

// ---------------------------------------------------------------- cubes

const cubes = `
    struct Scene { projection: mat4x4<f32>, angle: f32 };
    @group(0) @binding(0) var<uniform> scene: Scene;
    @group(0) @binding(1) var linear: sampler;
    @group(0) @binding(2) var squares: texture_2d<f32>;
    struct Vertex {
        @builtin(position) position: vec4<f32>,
        @location(0) at: vec2<f32>,
        @location(1) normal: vec3<f32>,
        @location(2) @interpolate(flat, either) cube: u32,
    };
    @vertex
    fn vertex(@builtin(vertex_index) number: u32, @builtin(instance_index) cube: u32) -> Vertex {
        var corners = array<vec2<f32>, 6>(vec2(-1., -1.), vec2(1., -1.), vec2(1., 1.), vec2(-1., -1.), vec2(1., 1.), vec2(-1., 1.));
        let side = number / 6u;
        let corner = corners[number % 6u];
        let sign = select(-1., 1., side % 2u == 0u);
        var position = vec3(corner, sign);
        var normal = vec3(0., 0., sign);
        if (side / 2u == 1u) {
            position = position.zxy;
            normal = normal.zxy;
        } else if (side / 2u == 2u) {
            position = position.yzx;
            normal = normal.yzx;
        }
        let a = scene.angle + f32(cube);
        let turn = mat3x3<f32>(cos(a), 0., -sin(a), 0., 1., 0., sin(a), 0., cos(a));
        let place = vec3(f32(cube % 3u) * 3. - 3., f32(cube / 3u) * 3. - 3., -12.);
        return Vertex(scene.projection * vec4(turn * position + place, 1.), corner * .5 + .5, turn * normal, cube);
    }
    @fragment
    fn fragment(v: Vertex) -> @location(0) vec4<f32> {
        let light = max(dot(normalize(v.normal), normalize(vec3(.3, .6, 1.))), 0.) * .8 + .2;
        let tint = vec3(f32(v.cube % 3u) / 3. + .3, .8, f32(v.cube / 3u) / 3. + .3);
        return vec4(textureSample(squares, linear, v.at).rgb * light * tint, 1.);
    }`;

function chequered() {
    const texture = device.createTexture({ size: [8, 8], format: 'rgba8unorm',
                                           usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST });
    const texels = Uint8Array.from({ length: 256 }, (_, i) =>
        i % 4 === 3 || ((i >> 2 & 7) + (i >> 5)) % 2 ? 255 : 90);
    device.queue.writeTexture({ texture }, texels, { bytesPerRow: 32 }, [8, 8]);
    return texture;
}

async function draw() {
    const module = device.createShaderModule({ code: cubes });
    const pipeline = await device.createRenderPipelineAsync({
        layout: 'auto',
        vertex: { module, entryPoint: 'vertex' },
        fragment: { module, entryPoint: 'fragment', targets: [{ format: 'rgba8unorm' }] },
        depthStencil: { format: 'depth24plus', depthWriteEnabled: true, depthCompare: 'less' },
        multisample: { count: 4 },
    });
    const near = 1, far = 40, focus = 1.83;
    const scene = new Float32Array([focus, 0, 0, 0, 0, focus, 0, 0, 0, 0, far / (near - far), -1,
                                    0, 0, near * far / (near - far), 0, 0.7, 0, 0, 0]);
    const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: [
        { binding: 0, resource: { buffer: buffer(scene.byteLength, GPUBufferUsage.UNIFORM, scene) } },
        { binding: 1, resource: device.createSampler({ magFilter: 'linear', minFilter: 'linear' }) },
        { binding: 2, resource: chequered().createView() },
    ] });
    const target = (format, sampleCount, usage) => device.createTexture({
        size: [SIZE, SIZE], format, sampleCount, usage: usage | GPUTextureUsage.RENDER_ATTACHMENT });
    const color = target('rgba8unorm', 4, 0), depth = target('depth24plus', 4, 0);
    const picture = target('rgba8unorm', 1, GPUTextureUsage.COPY_SRC);
    const result = buffer(SIZE * SIZE * 4, GPUBufferUsage.MAP_READ);
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
        colorAttachments: [{ view: color.createView(), resolveTarget: picture.createView(), loadOp: 'clear',
                             storeOp: 'discard', clearValue: { r: 0.1, g: 0.1, b: 0.3, a: 1 } }],
        depthStencilAttachment: { view: depth.createView(), depthClearValue: 1, depthLoadOp: 'clear',
                                  depthStoreOp: 'discard' },
    });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.draw(36, 9);
    pass.end();
    encoder.copyTextureToBuffer({ texture: picture }, { buffer: result, bytesPerRow: 4 * SIZE }, [SIZE, SIZE]);
    device.queue.submit([encoder.finish()]);
    return read(result, Uint8Array);
}

// ---------------------------------------------------------------- PNG

function crc32(bytes) {
    let crc = ~0;
    for (const byte of bytes) {
        crc ^= byte;
        for (let k = 0; k < 8; k++)
            crc = crc >>> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc >>> 0;
}

function chunk(type, data) {
    const body = Buffer.concat([Buffer.from(type), data]), head = Buffer.alloc(4), tail = Buffer.alloc(4);
    head.writeUInt32BE(data.length);
    tail.writeUInt32BE(crc32(body));
    return Buffer.concat([head, body, tail]);
}

function png(rgba) {
    const head = Buffer.alloc(13), rows = [];
    head.writeUInt32BE(SIZE, 0);
    head.writeUInt32BE(SIZE, 4);
    head.set([8, 6], 8); // 8 bits, RGBA
    for (let y = 0; y < SIZE; y++)
        rows.push(Buffer.from([0]), rgba.subarray(4 * SIZE * y, 4 * SIZE * (y + 1)));
    return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', head),
                          chunk('IDAT', deflateSync(Buffer.concat(rows))), chunk('IEND', Buffer.alloc(0))]);
}

await compute();
writeFileSync(process.argv.at(-1), png(await draw()));
process.exit(0);
