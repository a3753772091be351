#version 450
#extension GL_EXT_debug_printf : require

void main()
{
    gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.0, 1.0);
    debugPrintfEXT("vertex %d", gl_VertexIndex);
}
