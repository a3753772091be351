/* SPDX-License-Identifier: MIT
 *
 * A Direct3D 11 program for tests/programs/wine.sh: a textured, lit cube, turned by a fixed angle per frame, in front
 * of a plane that it partly hides, and a blended triangle over both. Ends after 30 frames, or with a line on stderr
 * that names the call that failed.
 */
#define COBJMACROS
#define INITGUID
#include <d3d11.h>
#include <d3dcompiler.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH   320
#define HEIGHT  240
#define FRAMES  30
#define TEXTURE 64

struct vertex {
    float position[3], normal[3], uv[2];
};

static const char shader[] =
    "cbuffer constants : register(b0) { float4 rows[4]; float4 light; };\n"
    "Texture2D image : register(t0); SamplerState filter : register(s0);\n"
    "struct varyings { float4 position : SV_POSITION; float3 normal : NORMAL; float2 uv : TEXCOORD; };\n"
    "varyings vs(float3 position : POSITION, float3 normal : NORMAL, float2 uv : TEXCOORD) {\n"
    "    varyings v; float4 p = float4(position, 1.0);\n"
    "    v.position = float4(dot(rows[0], p), dot(rows[1], p), dot(rows[2], p), dot(rows[3], p));\n"
    "    v.normal = normal; v.uv = uv; return v; }\n"
    "float4 ps(varyings v) : SV_TARGET {\n"
    "    float4 colour = image.Sample(filter, v.uv);\n"
    "    float amount = 0.3 + 0.7 * saturate(dot(v.normal, light.xyz));\n"
    "    return float4(colour.rgb * amount, light.w); }\n";

static ID3D11Device *device;
static ID3D11DeviceContext *context;
static IDXGISwapChain *swapchain;

static void check(HRESULT result, const char *what)
{
    if (SUCCEEDED(result))
        return;
    fprintf(stderr, "direct3d11: %s: 0x%08lx\n", what, (unsigned long)result);
    exit(1);
}

static ID3DBlob *compile(const char *entry, const char *target)
{
    ID3DBlob *code = NULL, *errors = NULL;
    const HRESULT result = D3DCompile(shader, sizeof shader - 1, NULL, NULL, NULL, entry, target, 0, 0, &code, &errors);
    if (errors)
        fprintf(stderr, "%s\n", (const char *)ID3D10Blob_GetBufferPointer(errors));
    check(result, entry);
    return code;
}

static ID3D11Buffer *buffer(UINT size_B, UINT use, const void *data)
{
    ID3D11Buffer *made;
    const D3D11_BUFFER_DESC desc = {.ByteWidth = size_B, .Usage = D3D11_USAGE_DEFAULT, .BindFlags = use};
    const D3D11_SUBRESOURCE_DATA initial = {.pSysMem = data};
    check(ID3D11Device_CreateBuffer(device, &desc, data ? &initial : NULL, &made), "CreateBuffer");
    return made;
}

/* A plane of two triangles behind, a cube, and a triangle in front. */
static UINT make_vertices(struct vertex *v)
{
    static const float corners[6][2] = {{-1, -1}, {-1, 1}, {1, 1}, {-1, -1}, {1, 1}, {1, -1}};
    UINT n = 0;
    for (int side = 0; side < 6; side++)
        for (int i = 0; i < 6; i++, n++) {
            const int axis = side / 2, sign = side % 2 ? 1 : -1;
            v[n].position[axis] = v[n].normal[axis] = (float)sign;
            v[n].position[(axis + 1) % 3] = corners[i][0];
            v[n].position[(axis + 2) % 3] = corners[i][1];
            v[n].uv[0] = corners[i][0] * 0.5f + 0.5f;
            v[n].uv[1] = corners[i][1] * 0.5f + 0.5f;
        }
    for (int i = 0; i < 6; i++, n++)
        v[n] = (struct vertex){
            {corners[i][0] * 3, corners[i][1] * 3, 0.5f}, {0, 0, 1}, {corners[i][0] * 4, corners[i][1] * 4}};
    v[n++] = (struct vertex){{-2, -1, 0}, {0, 0, 1}, {0, 0}};
    v[n++] = (struct vertex){{0, 2, 0}, {0, 0, 1}, {0.5f, 1}};
    v[n++] = (struct vertex){{2, -1, 0}, {0, 0, 1}, {1, 0}};
    return n;
}

/* Rows of a matrix that turns, moves away and projects. Depth 1 is at z = 10. */
static void make_rows(float rows[4][4], float angle, float distance)
{
    const float c = cosf(angle), s = sinf(angle), tilt_c = cosf(angle * 0.7f), tilt_s = sinf(angle * 0.7f);
    const float x[4] = {c, 0, s, 0}, y[4] = {s * tilt_s, tilt_c, -c * tilt_s, 0};
    const float z[4] = {-s * tilt_c, tilt_s, c * tilt_c, distance};
    for (int i = 0; i < 4; i++) {
        rows[0][i] = x[i] * 1.5f * HEIGHT / WIDTH;
        rows[1][i] = y[i] * 1.5f;
        rows[2][i] = z[i] * (10.0f / 9.0f) - (i == 3 ? 10.0f / 9.0f : 0.0f);
        rows[3][i] = z[i];
    }
}

static void draw(ID3D11Buffer *constants, float angle, float distance, float alpha, UINT count, UINT first)
{
    float data[5][4];
    make_rows(data, angle, distance);
    data[4][0] = 0.48f, data[4][1] = 0.6f, data[4][2] = 0.64f, data[4][3] = alpha;
    ID3D11DeviceContext_UpdateSubresource(context, (ID3D11Resource *)constants, 0, NULL, data, 0, 0);
    ID3D11DeviceContext_Draw(context, count, first);
}

static void make_device(HWND window)
{
    DXGI_SWAP_CHAIN_DESC desc = {.BufferDesc = {.Width = WIDTH, .Height = HEIGHT, .Format = DXGI_FORMAT_R8G8B8A8_UNORM},
                                 .SampleDesc = {.Count = 1},
                                 .BufferUsage = DXGI_USAGE_RENDER_TARGET_OUTPUT,
                                 .BufferCount = 1,
                                 .OutputWindow = window,
                                 .Windowed = TRUE};
    check(D3D11CreateDeviceAndSwapChain(NULL, D3D_DRIVER_TYPE_HARDWARE, NULL, 0, NULL, 0, D3D11_SDK_VERSION, &desc,
                                        &swapchain, &device, NULL, &context),
          "D3D11CreateDeviceAndSwapChain");
}

static ID3D11ShaderResourceView *make_texture(void)
{
    static unsigned char texels[TEXTURE * TEXTURE][4];
    for (int i = 0; i < TEXTURE * TEXTURE; i++) {
        const int x = i % TEXTURE, y = i / TEXTURE, dark = (x / 8 + y / 8) % 2;
        texels[i][0] = (unsigned char)(x * 4), texels[i][1] = (unsigned char)(y * 4);
        texels[i][2] = dark ? 40 : 220, texels[i][3] = 255;
    }
    const D3D11_TEXTURE2D_DESC desc = {.Width = TEXTURE,
                                       .Height = TEXTURE,
                                       .MipLevels = 1,
                                       .ArraySize = 1,
                                       .Format = DXGI_FORMAT_R8G8B8A8_UNORM,
                                       .SampleDesc = {.Count = 1},
                                       .BindFlags = D3D11_BIND_SHADER_RESOURCE};
    const D3D11_SUBRESOURCE_DATA initial = {.pSysMem = texels, .SysMemPitch = TEXTURE * 4};
    ID3D11Texture2D *texture;
    ID3D11ShaderResourceView *view;
    check(ID3D11Device_CreateTexture2D(device, &desc, &initial, &texture), "CreateTexture2D");
    check(ID3D11Device_CreateShaderResourceView(device, (ID3D11Resource *)texture, NULL, &view), "view of the texture");
    return view;
}

static void set_targets(void)
{
    const float background[] = {0.1f, 0.2f, 0.3f, 1};
    ID3D11Texture2D *back, *depth;
    ID3D11RenderTargetView *target;
    ID3D11DepthStencilView *depth_view;
    const D3D11_TEXTURE2D_DESC desc = {.Width = WIDTH,
                                       .Height = HEIGHT,
                                       .MipLevels = 1,
                                       .ArraySize = 1,
                                       .Format = DXGI_FORMAT_D24_UNORM_S8_UINT,
                                       .SampleDesc = {.Count = 1},
                                       .BindFlags = D3D11_BIND_DEPTH_STENCIL};
    check(IDXGISwapChain_GetBuffer(swapchain, 0, &IID_ID3D11Texture2D, (void **)&back), "GetBuffer");
    check(ID3D11Device_CreateRenderTargetView(device, (ID3D11Resource *)back, NULL, &target), "target");
    check(ID3D11Device_CreateTexture2D(device, &desc, NULL, &depth), "depth buffer");
    check(ID3D11Device_CreateDepthStencilView(device, (ID3D11Resource *)depth, NULL, &depth_view), "view of the depth");
    ID3D11DeviceContext_OMSetRenderTargets(context, 1, &target, depth_view);
    ID3D11DeviceContext_ClearRenderTargetView(context, target, background);
    ID3D11DeviceContext_ClearDepthStencilView(context, depth_view, D3D11_CLEAR_DEPTH | D3D11_CLEAR_STENCIL, 1, 0);
    ID3D11RenderTargetView_Release(target);
    ID3D11DepthStencilView_Release(depth_view);
    ID3D11Texture2D_Release(back);
    ID3D11Texture2D_Release(depth);
}

static ID3D11BlendState *make_blend(void)
{
    D3D11_BLEND_DESC desc = {0};
    desc.RenderTarget[0] = (D3D11_RENDER_TARGET_BLEND_DESC){.BlendEnable = TRUE,
                                                            .SrcBlend = D3D11_BLEND_SRC_ALPHA,
                                                            .DestBlend = D3D11_BLEND_INV_SRC_ALPHA,
                                                            .BlendOp = D3D11_BLEND_OP_ADD,
                                                            .SrcBlendAlpha = D3D11_BLEND_ONE,
                                                            .DestBlendAlpha = D3D11_BLEND_ZERO,
                                                            .BlendOpAlpha = D3D11_BLEND_OP_ADD,
                                                            .RenderTargetWriteMask = D3D11_COLOR_WRITE_ENABLE_ALL};
    ID3D11BlendState *state;
    check(ID3D11Device_CreateBlendState(device, &desc, &state), "CreateBlendState");
    return state;
}

static void set_pipeline(const struct vertex *vertices, UINT count, ID3D11Buffer **constants_out)
{
    ID3DBlob *vs_code = compile("vs", "vs_4_0"), *ps_code = compile("ps", "ps_4_0");
    const D3D11_INPUT_ELEMENT_DESC elements[] = {
        {"POSITION", 0, DXGI_FORMAT_R32G32B32_FLOAT, 0, 0, D3D11_INPUT_PER_VERTEX_DATA, 0},
        {"NORMAL", 0, DXGI_FORMAT_R32G32B32_FLOAT, 0, 12, D3D11_INPUT_PER_VERTEX_DATA, 0},
        {"TEXCOORD", 0, DXGI_FORMAT_R32G32_FLOAT, 0, 24, D3D11_INPUT_PER_VERTEX_DATA, 0},
    };
    const D3D11_SAMPLER_DESC filter = {.Filter = D3D11_FILTER_MIN_MAG_MIP_LINEAR,
                                       .AddressU = D3D11_TEXTURE_ADDRESS_WRAP,
                                       .AddressV = D3D11_TEXTURE_ADDRESS_MIRROR,
                                       .AddressW = D3D11_TEXTURE_ADDRESS_WRAP,
                                       .ComparisonFunc = D3D11_COMPARISON_NEVER,
                                       .MaxLOD = D3D11_FLOAT32_MAX};
    const D3D11_RASTERIZER_DESC raster = {
        .FillMode = D3D11_FILL_SOLID, .CullMode = D3D11_CULL_NONE, .DepthClipEnable = TRUE};
    const D3D11_VIEWPORT viewport = {0, 0, WIDTH, HEIGHT, 0, 1};
    const UINT stride = sizeof(struct vertex), offset = 0;
    ID3D11VertexShader *vs;
    ID3D11PixelShader *ps;
    ID3D11InputLayout *layout;
    ID3D11SamplerState *sampler;
    ID3D11RasterizerState *rasterizer;
    check(ID3D11Device_CreateVertexShader(device, ID3D10Blob_GetBufferPointer(vs_code),
                                          ID3D10Blob_GetBufferSize(vs_code), NULL, &vs),
          "CreateVertexShader");
    check(ID3D11Device_CreatePixelShader(device, ID3D10Blob_GetBufferPointer(ps_code),
                                         ID3D10Blob_GetBufferSize(ps_code), NULL, &ps),
          "CreatePixelShader");
    check(ID3D11Device_CreateInputLayout(device, elements, 3, ID3D10Blob_GetBufferPointer(vs_code),
                                         ID3D10Blob_GetBufferSize(vs_code), &layout),
          "CreateInputLayout");
    check(ID3D11Device_CreateSamplerState(device, &filter, &sampler), "CreateSamplerState");
    check(ID3D11Device_CreateRasterizerState(device, &raster, &rasterizer), "CreateRasterizerState");
    ID3D11Buffer *vertex_buffer = buffer(count * stride, D3D11_BIND_VERTEX_BUFFER, vertices);
    ID3D11ShaderResourceView *view = make_texture();
    *constants_out = buffer(5 * 16, D3D11_BIND_CONSTANT_BUFFER, NULL);
    ID3D11DeviceContext_IASetInputLayout(context, layout);
    ID3D11DeviceContext_IASetPrimitiveTopology(context, D3D11_PRIMITIVE_TOPOLOGY_TRIANGLELIST);
    ID3D11DeviceContext_IASetVertexBuffers(context, 0, 1, &vertex_buffer, &stride, &offset);
    ID3D11DeviceContext_VSSetShader(context, vs, NULL, 0);
    ID3D11DeviceContext_VSSetConstantBuffers(context, 0, 1, constants_out);
    ID3D11DeviceContext_PSSetShader(context, ps, NULL, 0);
    ID3D11DeviceContext_PSSetConstantBuffers(context, 0, 1, constants_out);
    ID3D11DeviceContext_PSSetShaderResources(context, 0, 1, &view);
    ID3D11DeviceContext_PSSetSamplers(context, 0, 1, &sampler);
    ID3D11DeviceContext_RSSetState(context, rasterizer);
    ID3D11DeviceContext_RSSetViewports(context, 1, &viewport);
}

int main(void)
{
    static struct vertex vertices[64];
    const UINT count = make_vertices(vertices);
    ID3D11Buffer *constants;
    HWND window =
        CreateWindowA("static", "direct3d11", WS_POPUP | WS_VISIBLE, 0, 0, WIDTH, HEIGHT, NULL, NULL, NULL, NULL);
    make_device(window);
    set_pipeline(vertices, count, &constants);
    ID3D11BlendState *blend = make_blend();
    for (int frame = 1; frame <= FRAMES; frame++) {
        MSG message;
        while (PeekMessageA(&message, NULL, 0, 0, PM_REMOVE))
            DispatchMessageA(&message);
        set_targets();
        ID3D11DeviceContext_OMSetBlendState(context, NULL, NULL, ~0u);
        draw(constants, 0.1f * (float)frame, 4.5f, 1, 36, 0);
        draw(constants, 0, 4.5f, 1, 6, 36);
        ID3D11DeviceContext_OMSetBlendState(context, blend, NULL, ~0u);
        draw(constants, 0.05f * (float)frame, 2.8f, 0.5f, 3, 42);
        check(IDXGISwapChain_Present(swapchain, 0, 0), "Present");
    }
    return 0;
}
