; SPIR-V
; Version: 1.3
; Quads at the edge of a triangle, with RequireFullQuadsKHR and QuadDerivativesKHR (SPV_KHR_quad_control, by numbers).
; red: a lane of the quad is a helper invocation
; green: no lane of the quad is one
; blue: the number of active lanes is a multiple of four, and the first lane of the quad is among them
OpCapability Shader
OpCapability GroupNonUniform
OpCapability GroupNonUniformBallot
OpCapability GroupNonUniformQuad
OpCapability 5087 ; QuadControlKHR
OpExtension "SPV_KHR_quad_control"
OpExtension "SPV_KHR_maximal_reconvergence"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %color %helper %lane
OpExecutionMode %main OriginUpperLeft
OpExecutionMode %main 6023 ; MaximallyReconvergesKHR
OpExecutionMode %main 5088 ; QuadDerivativesKHR
OpExecutionMode %main 5089 ; RequireFullQuadsKHR
OpDecorate %color Location 0
OpDecorate %helper BuiltIn HelperInvocation
OpDecorate %lane BuiltIn SubgroupLocalInvocationId
OpDecorate %lane Flat
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%uvec4 = OpTypeVector %uint 4
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%out_vec4 = OpTypePointer Output %vec4
%in_bool = OpTypePointer Input %bool
%in_uint = OpTypePointer Input %uint
%color = OpVariable %out_vec4 Output
%helper = OpVariable %in_bool Input
%lane = OpVariable %in_uint Input
%true = OpConstantTrue %bool
%zero = OpConstant %float 0.0
%one = OpConstant %float 1.0
%n0 = OpConstant %uint 0
%n1 = OpConstant %uint 1
%n3 = OpConstant %uint 3
%not3 = OpConstant %uint 0xfffffffc
%main = OpFunction %void None %fn
%entry = OpLabel
%helps = OpLoad %bool %helper
%works = OpLogicalNot %bool %helps
%any = OpGroupNonUniformQuadAnyKHR %bool %helps
%all = OpGroupNonUniformQuadAllKHR %bool %works
%ballot = OpGroupNonUniformBallot %uvec4 %n3 %true
%count = OpGroupNonUniformBallotBitCount %uint %n3 Reduce %ballot
%rest = OpBitwiseAnd %uint %count %n3
%whole = OpIEqual %bool %rest %n0
%l = OpLoad %uint %lane
%first = OpBitwiseAnd %uint %l %not3
%mask = OpCompositeExtract %uint %ballot 0
%shifted = OpShiftRightLogical %uint %mask %first
%bit = OpBitwiseAnd %uint %shifted %n1
%is_first = OpIEqual %bool %bit %n1
%good = OpLogicalAnd %bool %whole %is_first
%r = OpSelect %float %any %one %zero
%g = OpSelect %float %all %one %zero
%b = OpSelect %float %good %one %zero
%rgba = OpCompositeConstruct %vec4 %r %g %b %one
OpStore %color %rgba
OpReturn
OpFunctionEnd
