// SPDX-License-Identifier: MIT
#version 450
layout(local_size_x = 5, local_size_y = 3, local_size_z = 2) in;
void main()
{
}
