; SPIR-V
; Version: 1.0
; Red and alpha of the vertices; green: the layer / 16; blue: the viewport / 16.
OpCapability Shader
OpCapability ShaderViewportIndexLayerEXT
OpExtension "SPV_EXT_shader_viewport_index_layer"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %color %varying %layer %viewport
OpExecutionMode %main OriginUpperLeft
OpDecorate %color Location 0
OpDecorate %varying Location 0
OpDecorate %varying Flat
OpDecorate %layer BuiltIn Layer
OpDecorate %layer Flat
OpDecorate %viewport BuiltIn ViewportIndex
OpDecorate %viewport Flat
%void = OpTypeVoid
%fn = OpTypeFunction %void
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%out_vec4 = OpTypePointer Output %vec4
%in_vec4 = OpTypePointer Input %vec4
%in_int = OpTypePointer Input %int
%color = OpVariable %out_vec4 Output
%varying = OpVariable %in_vec4 Input
%layer = OpVariable %in_int Input
%viewport = OpVariable %in_int Input
%step = OpConstant %float 0.0625
%main = OpFunction %void None %fn
%entry = OpLabel
%v = OpLoad %vec4 %varying
%l = OpLoad %int %layer
%p = OpLoad %int %viewport
%lf = OpConvertSToF %float %l
%pf = OpConvertSToF %float %p
%g = OpFMul %float %lf %step
%b = OpFMul %float %pf %step
%r = OpCompositeExtract %float %v 0
%a = OpCompositeExtract %float %v 3
%result = OpCompositeConstruct %vec4 %r %g %b %a
OpStore %color %result
OpReturn
OpFunctionEnd
