// SPDX-License-Identifier: MIT
//
// Draws a turned, textured and lit cube on the page's canvas with WebGL 1 or 2. The page turns red if it cannot.
function draw(version) {
    const canvas = document.querySelector('canvas');
    const gl = canvas.getContext(version === 2 ? 'webgl2' : 'webgl', {preserveDrawingBuffer: true, antialias: false});
    if (!gl) {
        document.body.style.background = 'red';
        return;
    }
    const modern = version === 2, one = (a, b) => modern ? a : b, head = one('#version 300 es\n', '');
    const vertex = `${head}precision highp float;
${one('in', 'attribute')} vec3 p, n; ${one('out', 'varying')} vec3 normal; ${one('out', 'varying')} vec2 at;
uniform mat4 view;
void main() { normal = mat3(view) * n; at = p.xy + p.z; gl_Position = view * vec4(p, 1.0); gl_Position.z *= 0.3; gl_Position.w = 1.5 + gl_Position.z; }`;
    const fragment = `${head}precision mediump float;
${one('in', 'varying')} vec3 normal; ${one('in', 'varying')} vec2 at; uniform sampler2D picture; ${one('out vec4 color;', '')}
void main() {
    vec4 texel = ${one('texture', 'texture2D')}(picture, at);
    vec4 lit = vec4(texel.rgb * (0.3 + 0.7 * max(dot(normalize(normal), vec3(0.3, 0.5, -0.8)), 0.0)), 1.0);
    ${one('color', 'gl_FragColor')} = lit;
}`;
    const program = gl.createProgram();
    for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
        const shader = gl.createShader(type);
        gl.shaderSource(shader, source);
        gl.compileShader(shader);
        if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS))
            document.body.textContent = gl.getShaderInfoLog(shader);
        gl.attachShader(program, shader);
    }
    gl.bindAttribLocation(program, 0, 'p');
    gl.bindAttribLocation(program, 1, 'n');
    gl.linkProgram(program);
    gl.useProgram(program);
    const data = [];
    for (let axis = 0; axis < 3; axis++)
        for (const side of [-1, 1])
            for (const [u, v] of [[-1, -1], [1, -1], [1, 1], [-1, -1], [1, 1], [-1, 1]]) {
                const p = [0, 0, 0], n = [0, 0, 0];
                p[axis] = n[axis] = side;
                p[(axis + 1) % 3] = u;
                p[(axis + 2) % 3] = v;
                data.push(...p.map(x => x * 0.6), ...n);
            }
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(data), gl.STATIC_DRAW);
    for (const i of [0, 1]) {
        gl.enableVertexAttribArray(i);
        gl.vertexAttribPointer(i, 3, gl.FLOAT, false, 24, 12 * i);
    }
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
    const texels = new Uint8Array(4 * 64 * 64);
    for (let i = 0; i < 64 * 64; i++)
        texels.set([(i % 64) * 4, (i >> 6) * 4, (i ^ i >> 6) & 8 ? 255 : 60, 255], 4 * i);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 64, 64, 0, gl.RGBA, gl.UNSIGNED_BYTE, texels);
    gl.generateMipmap(gl.TEXTURE_2D);
    const [a, b] = [0.6, 0.5], [ca, sa, cb, sb] = [Math.cos(a), Math.sin(a), Math.cos(b), Math.sin(b)];
    gl.uniformMatrix4fv(gl.getUniformLocation(program, 'view'), false,
                        [ca, sa * sb, sa * cb, 0, 0, cb, -sb, 0, -sa, ca * sb, ca * cb, 0, 0, 0, 0, 1]);
    gl.enable(gl.DEPTH_TEST);
    gl.clearColor(0.1, 0.2, 0.3, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.drawArrays(gl.TRIANGLES, 0, 36);
}
