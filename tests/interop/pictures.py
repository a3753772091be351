# SPDX-License-Identifier: MIT
"""Reads and writes the image files of tests, with Pillow."""
import sys
sys.path.append('/usr/lib/python3/dist-packages')  # the folder of Debian's python3-pil, whichever python3 this is
from PIL import Image


def read(path, mode):
    """Width, height and pixels of an image. `mode` is 'RGB' or 'RGBA'."""
    with Image.open(path) as image:
        return *image.size, image.convert(mode).tobytes()


def write(path, width, height, mode, pixels):
    Image.frombytes(mode, (width, height), bytes(pixels)).save(path)
