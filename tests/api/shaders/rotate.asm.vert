; SPIR-V
; Version: 1.3
; A point for each vertex, in a row of 40: white if the rotation gives what a shuffle gives, where the lane that it reads is
; active.
OpCapability Shader
OpCapability GroupNonUniform
OpCapability GroupNonUniformBallot
OpCapability GroupNonUniformShuffle
OpCapability GroupNonUniformRotateKHR
OpExtension "SPV_KHR_subgroup_rotate"
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %position %size %color %index %lane
OpDecorate %position BuiltIn Position
OpDecorate %size BuiltIn PointSize
OpDecorate %color Location 0
OpDecorate %index BuiltIn VertexIndex
OpDecorate %lane BuiltIn SubgroupLocalInvocationId
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%uvec4 = OpTypeVector %uint 4
%out_vec4 = OpTypePointer Output %vec4
%out_float = OpTypePointer Output %float
%in_int = OpTypePointer Input %int
%in_uint = OpTypePointer Input %uint
%position = OpVariable %out_vec4 Output
%size = OpVariable %out_float Output
%color = OpVariable %out_vec4 Output
%index = OpVariable %in_int Input
%lane = OpVariable %in_uint Input
%true = OpConstantTrue %bool
%n0 = OpConstant %uint 0
%n1 = OpConstant %uint 1
%n3 = OpConstant %uint 3
%n5 = OpConstant %uint 5
%n15 = OpConstant %uint 15
%zero = OpConstant %float 0.0
%half = OpConstant %float 0.5
%one = OpConstant %float 1.0
%twenty = OpConstant %float 20.0
%main = OpFunction %void None %fn
%entry = OpLabel
%id = OpLoad %int %index
%l = OpLoad %uint %lane
%moved = OpIAdd %uint %l %n5
%from = OpBitwiseAnd %uint %moved %n15
%rotated = OpGroupNonUniformRotateKHR %int %n3 %id %n5
%shuffled = OpGroupNonUniformShuffle %int %n3 %id %from
%ballot = OpGroupNonUniformBallot %uvec4 %n3 %true
%mask = OpCompositeExtract %uint %ballot 0
%shifted = OpShiftRightLogical %uint %mask %from
%bit = OpBitwiseAnd %uint %shifted %n1
%is_inactive = OpIEqual %bool %bit %n0
%is_same = OpIEqual %bool %rotated %shuffled
%good = OpLogicalOr %bool %is_same %is_inactive
%shown = OpSelect %float %good %one %zero
%rgba = OpCompositeConstruct %vec4 %shown %shown %shown %one
OpStore %color %rgba
%number = OpConvertSToF %float %id
%centre = OpFAdd %float %number %half
%column = OpFDiv %float %centre %twenty
%x = OpFSub %float %column %one
%xyzw = OpCompositeConstruct %vec4 %x %zero %half %one
OpStore %position %xyzw
OpStore %size %one
OpReturn
OpFunctionEnd
