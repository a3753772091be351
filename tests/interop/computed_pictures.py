# SPDX-License-Identifier: MIT
"""Expected images of recorded scenes, computed from what the scenes draw, for replay_jobs.py.

Some scenes cannot match the image that llvmpipe drew, for a known cause. This module evaluates each of them as OpenGL
defines it, from the vertices, textures and uniforms in its trace and in exact arithmetic. Without the cause the result
must be llvmpipe's image; with it, the chip's. No code is shared with the model.

The causes:

  cut    The chip truncates products toward zero [measured on a Raspberry Pi: docs/model-gpu.md, "Rounding"]. Mesa's
         vertex shaders multiply a coordinate by sixteenths of half the viewport and convert it to an integer: 46/48,
         which a float holds slightly too small, times 768 is 735.99994, which is truncated to 735. The vertex is 1/16
         pixel nearer to the viewport's center than it should be. Texture coordinates, which are products and sums as
         well, are slightly nearer to 0.
  corner Mesa's shader uses X_PIXEL_COORD and Y_PIXEL_COORD as gl_FragCoord. They are integers: the pixels' corners.
"""
import dataclasses
import gzip
import math
import struct
from fractions import Fraction



# ---------------------------------------------------------------- the trace

class Scene:
    """The last job of a trace: the buffers when it was submitted, its shader records and uniforms."""

    def __init__(self, path, width, height):
        self.width, self.height = width, height
        data, at, buffers = gzip.decompress(path.read_bytes()), 16, {}
        while at < len(data):
            kind, size = struct.unpack_from('<II', data, at)
            body = data[at + 8:at + 8 + size]
            at += 8 + size
            handle, number = struct.unpack_from('<II', body) if size >= 8 else (0, 0)
            if kind in (1, 2):  # BO_CREATE, SHADER_CREATE
                buffers[handle] = bytearray(number)
            elif kind == 4:  # BO_WRITE
                buffers[handle][number:number + size - 8] = body[8:]
            elif kind == 6:  # SUBMIT
                self._take_job(body, {n: bytes(b) for n, b in buffers.items()})

    def _take_job(self, body, buffers):
        cl_size, rec_size, self.record_count, uniform_size, handle_count = struct.unpack_from('<5I', body, 32)
        at = 176 + _words(cl_size)
        self.records = body[at:at + rec_size]
        at += _words(rec_size)
        self.uniforms = struct.unpack_from(f'<{uniform_size // 4}I', body, at)
        handles = struct.unpack_from(f'<{handle_count}I', body, at + _words(uniform_size))
        self.buffers = [buffers[handle] for handle in handles]

    def vertices(self, record, count):
        """Ten floats per vertex: position, color, texture coordinate. A record has 5 relocations, 36 B, and 8 B per
        attribute."""
        at = 72 * record
        buffer, = struct.unpack_from('<I', self.records, at + 12)
        offset, = struct.unpack_from('<I', self.records, at + 56)
        return [struct.unpack_from('<10f', self.buffers[buffer], offset + 40 * n) for n in range(count)]


def _words(size_B):
    return (size_B + 3) & ~3


# ---------------------------------------------------------------- triangles

def cut_to_float(x):
    """The float next to x toward zero."""
    if x == 0:
        return x
    exponent = math.floor(math.log2(abs(x)))
    exponent += (abs(x) >= Fraction(2)**(exponent + 1)) - (abs(x) < Fraction(2)**exponent)
    step = Fraction(2)**(exponent - 23)
    return math.trunc(x / step) * step


def exact_place(ndc, size_px):
    return (1 + ndc) * size_px / 2


def cut_place(ndc, size_px):
    return Fraction(size_px, 2) + Fraction(math.trunc(cut_to_float(ndc * 8 * size_px)), 16)


class Triangle:
    """Coverage of a triangle, and planes through values at its vertices. place: converts coordinates of -1 to 1 to
    pixels."""

    def __init__(self, scene, corners, place):
        self.w = [Fraction(v[3]) for v in corners]
        self.at = [(place(Fraction(v[0]) / w, scene.width), place(Fraction(v[1]) / w, scene.height))
                   for v, w in zip(corners, self.w)]
        (ax, ay), (bx, by), (cx, cy) = self.at
        self.area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)  # positive: counter-clockwise
        self.box = [range(max(0, math.floor(min(p[n] for p in self.at))),
                          min(size, math.ceil(max(p[n] for p in self.at)))) for n, size in ((0, scene.width), (1, scene.height))]
        self.edges = [self.plane([int(n == m) for m in range(3)]) for n in range(3)]

    def plane(self, values):
        (ax, ay), (bx, by), (cx, cy) = self.at
        u, v = values[1] - values[0], values[2] - values[0]
        b = (u * (cy - ay) - v * (by - ay)) / self.area
        c = (v * (bx - ax) - u * (cx - ax)) / self.area
        return Plane(values[0] - b * ax - c * ay, b, c)

    def pixels(self):
        """Pixels whose centre is inside."""
        for y in self.box[1]:
            for x in self.box[0]:
                if all(edge.numerator(x, y) >= 0 for edge in self.edges):
                    yield x, y


class Plane:
    """a + b x + c y at pixel centers, exactly: integers over a common denominator."""

    def __init__(self, a, b, c):
        self.steps = float(b), float(c)
        a, b, c = a + Fraction(b + c) / 2, Fraction(b), Fraction(c)
        self.denominator = math.lcm(a.denominator, b.denominator, c.denominator)
        self.whole = [int(k * self.denominator) for k in (a, b, c)]

    def numerator(self, x, y):
        return self.whole[0] + self.whole[1] * x + self.whole[2] * y

    def at(self, x, y):
        return self.numerator(x, y) / self.denominator

    def cut(self):
        """Moves the plane nearer to 0 by less than a float's last bits, so that a value exactly between two texels
        belongs to the first."""
        shorter = Plane(Fraction(0), 0, 0)
        shorter.steps = self.steps
        shorter.denominator = self.denominator << 22
        shorter.whole = [k * ((1 << 22) - 1) for k in self.whole]
        return shorter


class Picture:
    def __init__(self, scene):
        self.width = scene.width
        self.bytes = bytearray(b'\0\0\0\xff' * (scene.width * scene.height))

    def put(self, x, y, channels):
        """Channels of 0 to 255, rounded to nearest."""
        at = 4 * (y * self.width + x)
        self.bytes[at:at + 4] = bytes(min(255, max(0, math.floor(c + 0.5))) for c in channels)


# ---------------------------------------------------------------- textures

def t_offset(x, y, width_px):
    """The byte offset of a 32-bit texel in T format: 4 KiB tiles of 32 x 32 texels, in rows of alternating direction;
    each has four subtiles, whose order depends on the row's direction; these consist of microtiles of 4 x 4 [guide
    p.105]."""
    tiles, row = width_px // 32, y // 32
    tile = row * tiles + (tiles - 1 - x // 32 if row % 2 else x // 32)
    part = (2 * (x // 16 % 2) + (x // 16 % 2 ^ y // 16 % 2)) ^ (2 if row % 2 else 0)
    return 4096 * tile + 1024 * part + 64 * (4 * (y // 4 % 4) + x // 4 % 4) + 4 * (4 * (y % 4) + x % 4)


def lt_offset(x, y, width_px):
    return 64 * (y // 4 * (width_px // 4) + x // 4) + 4 * (4 * (y % 4) + x % 4)


class Texture:
    """An RGBA8888 texture, as its configuration words describe it [guide p.41, tables 15, 16]. Levels from 1 on lie
    before level 0 in memory, each before the larger one."""

    def __init__(self, memory, word0, word1):
        self.width, self.height = word1 >> 8 & 2047, word1 >> 20 & 2047
        self.magnifies_nearest, self.min = word1 >> 7 & 1, word1 >> 4 & 7
        self.wraps = word1 & 3, word1 >> 2 & 3
        self.levels, base = [], word0 & ~4095
        for level in range(1 + (word0 & 15)):
            width, height = max(1, self.width >> level), max(1, self.height >> level)
            is_linear_tile = width <= 16 or height <= 16
            unit, offset = (4, lt_offset) if is_linear_tile else (32, t_offset)
            padded = -(-width // unit) * unit
            base -= 4 * padded * (-(-height // unit) * unit) if level else 0
            at = [[base + offset(x, y, padded) for x in range(width)] for y in range(height)]
            self.levels.append([[memory[o:o + 4] for o in row] for row in at])

    def texel(self, level, i, j):
        rows = self.levels[level]
        return rows[_wrapped(j, len(rows), self.wraps[1])][_wrapped(i, len(rows[0]), self.wraps[0])]

    def nearest(self, level, s, t):
        """s and t are pairs of numerator and denominator."""
        rows = self.levels[level]
        return self.texel(level, s[0] * len(rows[0]) // s[1], t[0] * len(rows) // t[1])

    def linear(self, level, s, t):
        rows = self.levels[level]
        i, a = divmod(2 * s[0] * len(rows[0]) - s[1], 2 * s[1])
        j, b = divmod(2 * t[0] * len(rows) - t[1], 2 * t[1])
        a, b = a / (2 * s[1]), b / (2 * t[1])
        square = [self.texel(level, i + di, j + dj) for dj in (0, 1) for di in (0, 1)]
        weights = (1 - a) * (1 - b), a * (1 - b), (1 - a) * b, a * b
        return [sum(w * texel[c] for w, texel in zip(weights, square)) for c in range(4)]

    def sample(self, s, t, lod):
        """self.min: 0 linear, 1 nearest, 2 and 3 nearest within the nearest mip level and within two blended ones, 4
        and 5 linear likewise."""
        last = len(self.levels) - 1
        if lod <= 0:
            return (self.nearest if self.magnifies_nearest else self.linear)(0, s, t)
        if self.min < 2:
            return (self.nearest if self.min else self.linear)(0, s, t)
        take = self.nearest if self.min < 4 else self.linear
        if self.min % 2 == 0:
            return take(min(last, max(0, math.ceil(lod + 0.5) - 1)), s, t)
        level = min(last, math.floor(lod))
        lower, upper = take(level, s, t), take(min(last, level + 1), s, t)
        part = lod - level if level < last else 0
        return [(1 - part) * a + part * b for a, b in zip(lower, upper)]


def _wrapped(i, size, mode):
    """mode: 0 repeat, 1 clamp, 2 mirror."""
    if mode == 0:
        return i % size
    if mode == 1:
        return min(max(i, 0), size - 1)
    i %= 2 * size
    return min(i, 2 * size - 1 - i)


def textured_quads(scene, vertex_count, is_cut):
    """Each shader record draws its own texture. w is 1 everywhere, so a triangle has one level of detail."""
    picture = Picture(scene)
    for record in range(scene.record_count):
        buffer, word0, word1 = scene.uniforms[11 * record:11 * record + 3]
        texture = Texture(scene.buffers[buffer], word0, word1)
        vertices = scene.vertices(record, vertex_count)
        for n in range(0, vertex_count, 3):
            corners = vertices[n:n + 3]
            triangle = Triangle(scene, corners, cut_place if is_cut else exact_place)
            s, t = (triangle.plane([Fraction(v[k]) for v in corners]) for k in (8, 9))
            steps = [math.hypot(s.steps[k] * texture.width, t.steps[k] * texture.height) for k in (0, 1)]
            lod = round(math.log2(max(steps)), 4)  # vertices are floats: 1 texel per pixel becomes 0.9999999
            if is_cut:
                s, t = s.cut(), t.cut()
            for x, y in triangle.pixels():
                place = (s.numerator(x, y), s.denominator), (t.numerator(x, y), t.denominator)
                picture.put(x, y, texture.sample(*place, lod))
    return bytes(picture.bytes)


# ---------------------------------------------------------------- fs_inputs

def fragment_inputs(scene, offset, is_cut, flips_y=False):
    """Two triangles. The front-facing one shows gl_FragCoord (x / 128, y / 96, z, w), the other its color times fract(x
    / 8). offset: of gl_FragCoord.xy from a pixel's corner."""
    picture = Picture(scene)
    for n in (0, 3):
        corners = scene.vertices(0, 6)[n:n + 3]
        triangle = Triangle(scene, corners, cut_place if is_cut else exact_place)
        z = triangle.plane([(1 + Fraction(v[2]) / w) / 2 for v, w in zip(corners, triangle.w)])
        inverse_w = triangle.plane([1 / w for w in triangle.w])
        colour = [triangle.plane([Fraction(v[k]) / w for v, w in zip(corners, triangle.w)]) for k in (4, 5, 6)]
        for x, y in triangle.pixels():
            fragment_x, fragment_y = x + offset[0], (scene.height - 1 - y if flips_y else y) + offset[1]
            w = inverse_w.at(x, y)
            if triangle.area > 0:
                rgba = fragment_x / 128, fragment_y / 96, z.at(x, y), w
            else:
                rgba = *(c.at(x, y) / w * (fragment_x / 8 % 1) for c in colour), 1
            picture.put(x, y, [255 * c for c in rgba])
    return bytes(picture.bytes)


# ---------------------------------------------------------------- the scenes

# Largest difference that rounding twice to 8 bits may cause.
TOLERANCE = 2


@dataclasses.dataclass
class Computed:
    why: str
    plain: callable  # the scene without the cause: llvmpipe's image
    chip: callable   # the scene with the cause: the chip's image
    wrong: dict      # by name: images of faults, which must differ from the chip's by more than the bound


def _quads(vertex_count):
    def plain(scene):
        return textured_quads(scene, vertex_count, False)
    return Computed('vertices are cut to sixteenths of a pixel', plain,
                    lambda scene: textured_quads(scene, vertex_count, True), {'uncut vertices': plain})


def _inputs(*arguments):
    return lambda scene: fragment_inputs(scene, *arguments)


COMPUTED = {
    'texture_minify': _quads(24),
    'texture_npot': _quads(6),  # also within llvmpipe's bound; the cause explains the whole difference
    'texture_wrap': _quads(6),
    'fs_inputs': Computed('gl_FragCoord is at the corners of pixels', _inputs((0.5, 0.5), False), _inputs((0, 0), True), {
        'the centres of pixels': _inputs((0.5, 0.5), True),
        'x a pixel to the right': _inputs((1, 0), True), 'x a pixel to the left': _inputs((-1, 0), True),
        'y a pixel up': _inputs((0, 1), True), 'y a pixel down': _inputs((0, -1), True),
        'y from the other end': _inputs((0, 0), True, True),
    }),
}
