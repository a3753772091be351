; SPIR-V
; Version: 1.3
; Each pixel has the red and green of another pixel of its quad, taken by rotations within four lanes: red comes from the
; next lane, green from the one before.
OpCapability Shader
OpCapability GroupNonUniform
OpCapability GroupNonUniformRotateKHR
OpExtension "SPV_KHR_subgroup_rotate"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %color %coord
OpExecutionMode %main OriginUpperLeft
OpDecorate %color Location 0
OpDecorate %coord BuiltIn FragCoord
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%vec2 = OpTypeVector %float 2
%vec4 = OpTypeVector %float 4
%out_vec4 = OpTypePointer Output %vec4
%in_vec4 = OpTypePointer Input %vec4
%color = OpVariable %out_vec4 Output
%coord = OpVariable %in_vec4 Input
%n1 = OpConstant %uint 1
%n3 = OpConstant %uint 3
%n4 = OpConstant %uint 4
%half = OpConstant %float 0.5
%one = OpConstant %float 1.0
%sixteen = OpConstant %float 16.0
%scale = OpConstant %float 255.0
%main = OpFunction %void None %fn
%entry = OpLabel
%xyzw = OpLoad %vec4 %coord
%x = OpCompositeExtract %float %xyzw 0
%y = OpCompositeExtract %float %xyzw 1
%column = OpFSub %float %x %half
%row = OpFSub %float %y %half
%row16 = OpFMul %float %row %sixteen
%number = OpFAdd %float %row16 %column
%value = OpFDiv %float %number %scale
%two = OpCompositeConstruct %vec2 %value %value
%next = OpGroupNonUniformRotateKHR %vec2 %n3 %two %n1 %n4
%last = OpGroupNonUniformRotateKHR %vec2 %n3 %two %n3 %n4
%r = OpCompositeExtract %float %next 0
%g = OpCompositeExtract %float %last 1
%rgba = OpCompositeConstruct %vec4 %r %g %one %one
OpStore %color %rgba
OpReturn
OpFunctionEnd
