; SPIR-V
; Subgroup operations that GLSL for SPIR-V 1.3 does not make: those of SPV_KHR_shader_ballot and SPV_KHR_subgroup_vote,
; rotations, votes of quads (SPV_KHR_quad_control, by numbers), and broadcasts from a lane whose number is computed. One
; workgroup of 40; row r of the results has 48 words.
OpCapability Shader
OpCapability SubgroupBallotKHR
OpCapability SubgroupVoteKHR
OpCapability GroupNonUniform
OpCapability GroupNonUniformBallot
OpCapability GroupNonUniformRotateKHR
OpCapability 5087 ; QuadControlKHR
OpExtension "SPV_KHR_quad_control"
OpExtension "SPV_KHR_maximal_reconvergence"
OpExtension "SPV_KHR_shader_ballot"
OpExtension "SPV_KHR_subgroup_vote"
OpExtension "SPV_KHR_subgroup_rotate"
OpExtension "SPV_KHR_subgroup_uniform_control_flow"
OpExtension "SPV_KHR_storage_buffer_storage_class"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %mask
OpExecutionMode %main LocalSize 40 1 1
OpExecutionMode %main SubgroupUniformControlFlowKHR
OpExecutionMode %main 6023 ; MaximallyReconvergesKHR
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %mask BuiltIn SubgroupGeMask
OpDecorate %row ArrayStride 4
OpDecorate %rows ArrayStride 192
OpDecorate %words ArrayStride 4
OpDecorate %out_block Block
OpMemberDecorate %out_block 0 Offset 0
OpDecorate %in_block Block
OpMemberDecorate %in_block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%bool = OpTypeBool
%vec4 = OpTypeVector %uint 4
%n48 = OpConstant %uint 48
%row = OpTypeArray %uint %n48
%rows = OpTypeRuntimeArray %row
%words = OpTypeRuntimeArray %uint
%out_block = OpTypeStruct %rows
%in_block = OpTypeStruct %words
%to_out = OpTypePointer StorageBuffer %out_block
%to_in = OpTypePointer StorageBuffer %in_block
%to_uint = OpTypePointer StorageBuffer %uint
%in_uint = OpTypePointer Input %uint
%in_vec4 = OpTypePointer Input %vec4
%out = OpVariable %to_out StorageBuffer
%in = OpVariable %to_in StorageBuffer
%id = OpVariable %in_uint Input
%mask = OpVariable %in_vec4 Input
%n0 = OpConstant %uint 0
%n1 = OpConstant %uint 1
%n2 = OpConstant %uint 2
%n3 = OpConstant %uint 3
%n4 = OpConstant %uint 4
%n5 = OpConstant %uint 5
%n6 = OpConstant %uint 6
%n7 = OpConstant %uint 7
%n8 = OpConstant %uint 8
%n9 = OpConstant %uint 9
%n50 = OpConstant %uint 50
%n200 = OpConstant %uint 200
%main = OpFunction %void None %fn
%entry = OpLabel
%i = OpLoad %uint %id
%from = OpAccessChain %to_uint %in %n0 %i
%v = OpLoad %uint %from
%above = OpUGreaterThan %bool %v %n50
%ballot = OpSubgroupBallotKHR %vec4 %above
%b0 = OpCompositeExtract %uint %ballot 0
%at0 = OpAccessChain %to_uint %out %n0 %n0 %i
OpStore %at0 %b0
%first = OpSubgroupFirstInvocationKHR %uint %v
%at1 = OpAccessChain %to_uint %out %n0 %n1 %i
OpStore %at1 %first
%read = OpSubgroupReadInvocationKHR %uint %v %n5
%at2 = OpAccessChain %to_uint %out %n0 %n2 %i
OpStore %at2 %read
%below = OpULessThan %bool %v %n200
%is_seven = OpIEqual %bool %v %n7
%all = OpSubgroupAllKHR %bool %below
%any = OpSubgroupAnyKHR %bool %is_seven
%equal = OpSubgroupAllEqualKHR %bool %above
%all_bit = OpSelect %uint %all %n1 %n0
%any_bit = OpSelect %uint %any %n2 %n0
%equal_bit = OpSelect %uint %equal %n4 %n0
%some = OpBitwiseOr %uint %all_bit %any_bit
%votes = OpBitwiseOr %uint %some %equal_bit
%at3 = OpAccessChain %to_uint %out %n0 %n3 %i
OpStore %at3 %votes
%turned = OpGroupNonUniformRotateKHR %uint %n3 %v %n3
%at4 = OpAccessChain %to_uint %out %n0 %n4 %i
OpStore %at4 %turned
%delta = OpBitwiseAnd %uint %b0 %n7
%clustered = OpGroupNonUniformRotateKHR %uint %n3 %v %delta %n8
%at5 = OpAccessChain %to_uint %out %n0 %n5 %i
OpStore %at5 %clustered
%is_rotated = OpGroupNonUniformRotateKHR %bool %n3 %above %n1 %n4
%rotated_bit = OpSelect %uint %is_rotated %n1 %n0
%at6 = OpAccessChain %to_uint %out %n0 %n6 %i
OpStore %at6 %rotated_bit
%sent = OpGroupNonUniformBroadcast %uint %n3 %v %delta
%at8 = OpAccessChain %to_uint %out %n0 %n7 %i
OpStore %at8 %sent
%odd_bit = OpBitwiseAnd %uint %v %n1
%is_odd = OpIEqual %bool %odd_bit %n1
%quad_all = OpGroupNonUniformQuadAllKHR %bool %is_odd
%quad_any = OpGroupNonUniformQuadAnyKHR %bool %is_odd
%quad_all_bit = OpSelect %uint %quad_all %n1 %n0
%quad_any_bit = OpSelect %uint %quad_any %n2 %n0
%quad_votes = OpBitwiseOr %uint %quad_all_bit %quad_any_bit
%at9 = OpAccessChain %to_uint %out %n0 %n8 %i
OpStore %at9 %quad_votes
%ge = OpLoad %vec4 %mask
%ge0 = OpCompositeExtract %uint %ge 0
%at7 = OpAccessChain %to_uint %out %n0 %n9 %i
OpStore %at7 %ge0
OpReturn
OpFunctionEnd
