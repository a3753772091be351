#version 450
#define ZERO float(gl_InstanceIndex)
layout(location = 0) in vec2 position;
layout(location = 1)  in ivec2 at1;
layout(location = 0) smooth out vec2 sm1;
layout(location = 1) flat out uint fl0;
void main() {
    gl_Position = vec4(position * 1.0, 0.0, 1.0);
    gl_PointSize = 1.0;
    sm1 = vec2(position.x * -8.0 + position.y * 4.0 + -6.0, position.x * 0.0 + position.y * -4.0 + -6.0);
}
