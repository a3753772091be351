; SPIR-V
; Version: 1.3
; Values and truth values with an expected value, which some of them have and others do not, and assumptions that are true:
; row r of the results has 64 words, one for each invocation of one workgroup.
OpCapability Shader
OpCapability Int64
OpCapability Int8
OpCapability ExpectAssumeKHR
OpExtension "SPV_KHR_expect_assume"
OpExtension "SPV_KHR_storage_buffer_storage_class"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uchar = OpTypeInt 8 0
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%uvec2 = OpTypeVector %uint 2
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%to_block = OpTypePointer StorageBuffer %block
%to_uint = OpTypePointer StorageBuffer %uint
%in_uint = OpTypePointer Input %uint
%out = OpVariable %to_block StorageBuffer
%id = OpVariable %in_uint Input
%true = OpConstantTrue %bool
%n0 = OpConstant %uint 0
%n1 = OpConstant %uint 1
%n3 = OpConstant %uint 3
%n7 = OpConstant %uint 7
%n20 = OpConstant %uint 20
%n64 = OpConstant %uint 64
%row2 = OpConstant %uint 128
%row3 = OpConstant %uint 192
%row4 = OpConstant %uint 256
%byte3 = OpConstant %uchar 3
%long9 = OpConstant %ulong 9
%zeros = OpConstantNull %uvec2
%main = OpFunction %void None %fn
%entry = OpLabel
%i = OpLoad %uint %id
%is_inside = OpULessThan %bool %i %n64
OpAssumeTrueKHR %is_inside
%thrice = OpIMul %uint %i %n3
%x = OpExpectKHR %uint %thrice %n3
%p0 = OpAccessChain %to_uint %out %n0 %i
OpStore %p0 %x
%is_low = OpULessThan %bool %i %n20
%likely = OpExpectKHR %bool %is_low %true
%at1 = OpIAdd %uint %i %n64
%p1 = OpAccessChain %to_uint %out %n0 %at1
OpSelectionMerge %after None
OpBranchConditional %likely %low %high
%low = OpLabel
OpAssumeTrueKHR %is_low
OpStore %p1 %n1
OpBranch %after
%high = OpLabel
OpStore %p1 %n7
OpBranch %after
%after = OpLabel
%both = OpCompositeConstruct %uvec2 %thrice %i
%pair = OpExpectKHR %uvec2 %both %zeros
%first = OpCompositeExtract %uint %pair 0
%second = OpCompositeExtract %uint %pair 1
%sum = OpIAdd %uint %first %second
%at2 = OpIAdd %uint %i %row2
%p2 = OpAccessChain %to_uint %out %n0 %at2
OpStore %p2 %sum
%product = OpIMul %uint %thrice %n7
%small = OpUConvert %uchar %product
%byte = OpExpectKHR %uchar %small %byte3
%wide = OpUConvert %uint %byte
%at3 = OpIAdd %uint %i %row3
%p3 = OpAccessChain %to_uint %out %n0 %at3
OpStore %p3 %wide
%long = OpUConvert %ulong %thrice
%squared = OpIMul %ulong %long %long
%number = OpExpectKHR %ulong %squared %long9
%low_word = OpUConvert %uint %number
%at4 = OpIAdd %uint %i %row4
%p4 = OpAccessChain %to_uint %out %n0 %at4
OpStore %p4 %low_word
OpReturn
OpFunctionEnd
