; SPIR-V
; Variable pointers into storage buffers and shared memory. One workgroup of 16; i is the invocation. Row r of the results,
; words 16 r to 16 r + 15:
;  0: word i of buffer A if i is odd, else of buffer B, by OpSelect; row 1: the same by a phi. Both are then increased by one.
;  2: the sum of the i mod 4 + 1 words of A from word 4 on, by a phi that OpPtrAccessChain advances.
;  3: what a function returns for i: a pointer to word 15 - i of element i mod 2 of the array C of buffers.
;  4: word i of A or B, through a variable that the pointer is stored to, from an array of two pointers with index i mod 2.
;  5: 1 if a pointer that is null for odd i is null, plus 2 if the two pointers of row 0 and 4 are the same, plus 4 if the
;     pointers to words i and 3 of A differ.
;  6: the difference of the pointers to words i and 5 of A, in words.
;  7: word 15 - i of one of two arrays in shared memory: the pointer is selected, then moved back by i from word 15.
;  8: the same plus the number of words between the two ends.
;  9: the length of A or B in words, plus word i of the first member of the pair that a pointer to a struct points to.
; 10: an atomic's result: word 16 of A or B is incremented through the pointer, so 0 to 7.
; 11: word i of element i / 2 mod 2 of C for odd i, else of E: the pointers to the two arrays of buffers are selected.
OpCapability Shader
OpCapability VariablePointersStorageBuffer
OpCapability VariablePointers
OpExtension "SPV_KHR_storage_buffer_storage_class"
OpExtension "SPV_KHR_variable_pointers"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 16 1 1
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %words ArrayStride 4
OpDecorate %to_uint ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %pair_block Block
OpMemberDecorate %pair_block 0 Offset 0
OpDecorate %pairs ArrayStride 8
OpMemberDecorate %pair 0 Offset 0
OpMemberDecorate %pair 1 Offset 4
OpDecorate %a DescriptorSet 0
OpDecorate %a Binding 0
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 1
OpDecorate %c DescriptorSet 0
OpDecorate %c Binding 2
OpDecorate %d DescriptorSet 0
OpDecorate %d Binding 3
OpDecorate %e DescriptorSet 0
OpDecorate %e Binding 5
OpDecorate %results DescriptorSet 0
OpDecorate %results Binding 4
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%bool = OpTypeBool
%n0 = OpConstant %uint 0
%n1 = OpConstant %uint 1
%n2 = OpConstant %uint 2
%n3 = OpConstant %uint 3
%n4 = OpConstant %uint 4
%n5 = OpConstant %uint 5
%n15 = OpConstant %uint 15
%n16 = OpConstant %uint 16
%n32 = OpConstant %uint 32
%n48 = OpConstant %uint 48
%n64 = OpConstant %uint 64
%n80 = OpConstant %uint 80
%n96 = OpConstant %uint 96
%n112 = OpConstant %uint 112
%n128 = OpConstant %uint 128
%n144 = OpConstant %uint 144
%n160 = OpConstant %uint 160
%n176 = OpConstant %uint 176
%n264 = OpConstant %uint 264
%back1 = OpConstant %int -1
%i0 = OpConstant %int 0
%i15 = OpConstant %int 15
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%pair = OpTypeStruct %uint %uint
%pairs = OpTypeArray %pair %n16
%pair_block = OpTypeStruct %pairs
%blocks = OpTypeArray %block %n2
%to_block = OpTypePointer StorageBuffer %block
%to_blocks = OpTypePointer StorageBuffer %blocks
%to_pair_block = OpTypePointer StorageBuffer %pair_block
%to_pair = OpTypePointer StorageBuffer %pair
%to_uint = OpTypePointer StorageBuffer %uint
%fn_pick = OpTypeFunction %to_uint %uint
%in_uint = OpTypePointer Input %uint
%array = OpTypeArray %uint %n16
%shared_array = OpTypePointer Workgroup %array
%shared_uint = OpTypePointer Workgroup %uint
%local_pointer = OpTypePointer Function %to_uint
%two_pointers = OpTypeArray %to_uint %n2
%private_pointers = OpTypePointer Private %two_pointers
%private_pointer = OpTypePointer Private %to_uint
%a = OpVariable %to_block StorageBuffer
%b = OpVariable %to_block StorageBuffer
%c = OpVariable %to_blocks StorageBuffer
%d = OpVariable %to_pair_block StorageBuffer
%e = OpVariable %to_blocks StorageBuffer
%results = OpVariable %to_block StorageBuffer
%id = OpVariable %in_uint Input
%left = OpVariable %shared_array Workgroup
%right = OpVariable %shared_array Workgroup
%kept = OpVariable %private_pointers Private
%null = OpConstantNull %to_uint
%null_pair = OpConstantNull %to_pair
%pick = OpFunction %to_uint None %fn_pick
%which = OpFunctionParameter %uint
%pick_entry = OpLabel
%pick_odd = OpBitwiseAnd %uint %which %n1
%pick_is_odd = OpIEqual %bool %pick_odd %n1
%pick_word = OpISub %uint %n15 %which
OpSelectionMerge %pick_end None
OpBranchConditional %pick_is_odd %pick_first %pick_second
%pick_first = OpLabel
%pick_c1 = OpAccessChain %to_uint %c %n1 %n0 %pick_word
OpReturnValue %pick_c1
%pick_second = OpLabel
%pick_c0 = OpAccessChain %to_uint %c %pick_odd %n0 %pick_word
OpReturnValue %pick_c0
%pick_end = OpLabel
OpUnreachable
OpFunctionEnd
%main = OpFunction %void None %fn
%entry = OpLabel
%local = OpVariable %local_pointer Function
%i = OpLoad %uint %id
%odd = OpBitwiseAnd %uint %i %n1
%is_odd = OpIEqual %bool %odd %n1
%a_i = OpAccessChain %to_uint %a %n0 %i
%b_i = OpAccessChain %to_uint %b %n0 %i
%selected = OpSelect %to_uint %is_odd %a_i %b_i
%value0 = OpLoad %uint %selected
%at0 = OpAccessChain %to_uint %results %n0 %i
OpStore %at0 %value0
%more0 = OpIAdd %uint %value0 %n1
OpStore %selected %more0
OpSelectionMerge %merged None
OpBranchConditional %is_odd %then %else
%then = OpLabel
%then_a = OpAccessChain %to_uint %a %n0 %i
OpBranch %merged
%else = OpLabel
%else_b = OpAccessChain %to_uint %b %n0 %i
OpBranch %merged
%merged = OpLabel
%either = OpPhi %to_uint %then_a %then %else_b %else
%value1 = OpLoad %uint %either
%w1 = OpIAdd %uint %n16 %i
%at1 = OpAccessChain %to_uint %results %n0 %w1
OpStore %at1 %value1
%more1 = OpIAdd %uint %value1 %n1
OpStore %either %more1
%steps = OpBitwiseAnd %uint %i %n3
%a_4 = OpAccessChain %to_uint %a %n0 %n4
OpBranch %loop
%loop = OpLabel
%k = OpPhi %uint %n0 %merged %next_k %again
%sum = OpPhi %uint %n0 %merged %next_sum %again
%at = OpPhi %to_uint %a_4 %merged %next_at %again
%summand = OpLoad %uint %at
%next_sum = OpIAdd %uint %sum %summand
%next_k = OpIAdd %uint %k %n1
%go_on = OpULessThan %bool %k %steps
OpLoopMerge %done %again None
OpBranchConditional %go_on %again %done
%again = OpLabel
%next_at = OpPtrAccessChain %to_uint %at %n1
OpBranch %loop
%done = OpLabel
%w2 = OpIAdd %uint %n32 %i
%at2 = OpAccessChain %to_uint %results %n0 %w2
OpStore %at2 %next_sum
%picked = OpFunctionCall %to_uint %pick %i
%value3 = OpLoad %uint %picked
%w3 = OpIAdd %uint %n48 %i
%at3 = OpAccessChain %to_uint %results %n0 %w3
OpStore %at3 %value3
%kept_0 = OpAccessChain %private_pointer %kept %n0
%kept_1 = OpAccessChain %private_pointer %kept %n1
OpStore %kept_0 %b_i
OpStore %kept_1 %a_i
%kept_odd = OpAccessChain %private_pointer %kept %odd
%chosen = OpLoad %to_uint %kept_odd
OpStore %local %chosen
%loaded = OpLoad %to_uint %local
%value4 = OpLoad %uint %loaded
%w4 = OpIAdd %uint %n64 %i
%at4 = OpAccessChain %to_uint %results %n0 %w4
OpStore %at4 %value4
%maybe = OpSelect %to_uint %is_odd %null %a_i
%is_null = OpPtrEqual %bool %maybe %null
%same = OpPtrEqual %bool %selected %loaded
%a_3 = OpAccessChain %to_uint %a %n0 %n3
%differ = OpPtrNotEqual %bool %a_i %a_3
%bit0 = OpSelect %uint %is_null %n1 %n0
%bit1 = OpSelect %uint %same %n2 %n0
%bit2 = OpSelect %uint %differ %n4 %n0
%bits01 = OpBitwiseOr %uint %bit0 %bit1
%bits = OpBitwiseOr %uint %bits01 %bit2
%w5 = OpIAdd %uint %n80 %i
%at5 = OpAccessChain %to_uint %results %n0 %w5
OpStore %at5 %bits
%a_5 = OpAccessChain %to_uint %a %n0 %n5
%distance = OpPtrDiff %int %a_i %a_5
%value6 = OpBitcast %uint %distance
%w6 = OpIAdd %uint %n96 %i
%at6 = OpAccessChain %to_uint %results %n0 %w6
OpStore %at6 %value6
%left_i = OpAccessChain %shared_uint %left %i
%right_i = OpAccessChain %shared_uint %right %i
%i_100 = OpIAdd %uint %i %n144
OpStore %left_i %i_100
%i_300 = OpIAdd %uint %i_100 %n160
OpStore %right_i %i_300
OpControlBarrier %n2 %n2 %n264
%left_15 = OpAccessChain %shared_uint %left %n15
%right_15 = OpAccessChain %shared_uint %right %n15
%end = OpSelect %shared_uint %is_odd %left_15 %right_15
%i_signed = OpBitcast %int %i
%back = OpIMul %int %i_signed %back1
%shared_at = OpPtrAccessChain %shared_uint %end %back
%value7 = OpLoad %uint %shared_at
%w7 = OpIAdd %uint %n112 %i
%at7 = OpAccessChain %to_uint %results %n0 %w7
OpStore %at7 %value7
%shared_distance = OpPtrDiff %int %end %shared_at
%shared_bits = OpBitcast %uint %shared_distance
%value8 = OpIAdd %uint %value7 %shared_bits
%w8 = OpIAdd %uint %n128 %i
%at8 = OpAccessChain %to_uint %results %n0 %w8
OpStore %at8 %value8
%one_block = OpSelect %to_block %is_odd %a %b
%length = OpArrayLength %uint %one_block 0
%d_i = OpAccessChain %to_pair %d %n0 %i
%some_pair = OpSelect %to_pair %is_odd %null_pair %d_i
%first = OpAccessChain %to_uint %some_pair %n0
%first_value = OpLoad %uint %first
%value9 = OpIAdd %uint %length %first_value
%w9 = OpIAdd %uint %n144 %i
%at9 = OpAccessChain %to_uint %results %n0 %w9
OpStore %at9 %value9
%counter = OpAccessChain %to_uint %one_block %n0 %n16
%value10 = OpAtomicIAdd %uint %counter %n1 %n0 %n1
%w10 = OpIAdd %uint %n160 %i
%at10 = OpAccessChain %to_uint %results %n0 %w10
OpStore %at10 %value10
%some_blocks = OpSelect %to_blocks %is_odd %c %e
%half = OpShiftRightLogical %uint %i %n1
%element = OpBitwiseAnd %uint %half %n1
%in_block = OpAccessChain %to_uint %some_blocks %element %n0 %i
%value11 = OpLoad %uint %in_block
%w11 = OpIAdd %uint %n176 %i
%at11 = OpAccessChain %to_uint %results %n0 %w11
OpStore %at11 %value11
OpReturn
OpFunctionEnd
