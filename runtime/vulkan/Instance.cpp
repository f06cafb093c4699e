//===- Instance.cpp - The Vulkan loader and an instance -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vulkan/Instance.h"
#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

namespace helios::rt::vulkan {

#ifdef __APPLE__
static constexpr char defaultLoader[] = "libvulkan.1.dylib";
#else
static constexpr char defaultLoader[] = "libvulkan.so.1";
#endif

std::string resultName(VkResult result) {
  switch (result) {
#define X(name)                                                                \
  case name:                                                                   \
    return #name;
    X(VK_SUCCESS)
    X(VK_NOT_READY)
    X(VK_TIMEOUT)
    X(VK_INCOMPLETE)
    X(VK_ERROR_OUT_OF_HOST_MEMORY)
    X(VK_ERROR_OUT_OF_DEVICE_MEMORY)
    X(VK_ERROR_INITIALIZATION_FAILED)
    X(VK_ERROR_DEVICE_LOST)
    X(VK_ERROR_MEMORY_MAP_FAILED)
    X(VK_ERROR_LAYER_NOT_PRESENT)
    X(VK_ERROR_EXTENSION_NOT_PRESENT)
    X(VK_ERROR_FEATURE_NOT_PRESENT)
    X(VK_ERROR_INCOMPATIBLE_DRIVER)
    X(VK_ERROR_TOO_MANY_OBJECTS)
    X(VK_ERROR_FORMAT_NOT_SUPPORTED)
    X(VK_ERROR_FRAGMENTED_POOL)
    X(VK_ERROR_OUT_OF_POOL_MEMORY)
    X(VK_ERROR_FRAGMENTATION)
    X(VK_ERROR_INVALID_SHADER_NV)
    X(VK_PIPELINE_COMPILE_REQUIRED)
    X(VK_ERROR_UNKNOWN)
#undef X
  default:
    return "VkResult " + std::to_string(static_cast<int>(result));
  }
}

Status check(VkResult result, const std::string &call) {
  if (result == VK_SUCCESS)
    return Status::success();
  std::string message = call + " failed with " + resultName(result);
  switch (result) {
  case VK_ERROR_OUT_OF_DEVICE_MEMORY:
  case VK_ERROR_OUT_OF_HOST_MEMORY:
  case VK_ERROR_OUT_OF_POOL_MEMORY:
    return Status(StatusCode::OutOfMemory, message);
  case VK_ERROR_DEVICE_LOST:
    return Status(StatusCode::DeviceLost,
                  message + ": the device was reset (a kernel ran too long, "
                            "faulted, or the driver failed); "
                            "close it and open it again");
  default:
    return Status(StatusCode::Device, message);
  }
}

Result<std::shared_ptr<Instance>> Instance::get(const OpenOptions &options) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<Instance>> known;
  std::lock_guard<std::mutex> lock(mutex);
  std::string key = (options.validation ? "v" : "-") + options.vulkanLoader;
  if (std::shared_ptr<Instance> live = known[key].lock())
    return live;
  std::shared_ptr<Instance> fresh(new Instance());
  if (Status s = fresh->open(options); !s.ok())
    return s;
  known[key] = fresh;
  return fresh;
}

/// Whether a loader offers an extension of instances.
static bool offers(PFN_vkGetInstanceProcAddr getProc, const char *extension) {
  auto enumerate = reinterpret_cast<PFN_vkEnumerateInstanceExtensionProperties>(
      getProc(nullptr, "vkEnumerateInstanceExtensionProperties"));
  uint32_t count = 0;
  if (!enumerate || enumerate(nullptr, &count, nullptr) != VK_SUCCESS)
    return false;
  std::vector<VkExtensionProperties> list(count);
  VkResult r = enumerate(nullptr, &count, list.data());
  if (r != VK_SUCCESS && r != VK_INCOMPLETE)
    return false;
  return std::any_of(list.begin(), list.begin() + count,
                     [&](const VkExtensionProperties &known) {
                       return std::string_view(known.extensionName) ==
                              extension;
                     });
}

Status Instance::open(const OpenOptions &options) {
  std::string name =
      options.vulkanLoader.empty() ? defaultLoader : options.vulkanLoader;
  library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *why = ::dlerror();
    return Status::unsupported(
        "the Vulkan loader '" + name + "' cannot be opened (" +
        (why ? why : "?") +
        "). Install it (Debian and Ubuntu: libvulkan1; Fedora: vulkan-loader) "
        "and a "
        "driver, or run scripts/get-lavapipe.sh for a device on the CPU");
  }
  auto getProc = reinterpret_cast<PFN_vkGetInstanceProcAddr>(
      ::dlsym(library, "vkGetInstanceProcAddr"));
  if (!getProc)
    return Status::unsupported(
        "'" + name + "' is no Vulkan loader: it has no vkGetInstanceProcAddr");

  auto enumerateVersion = reinterpret_cast<PFN_vkEnumerateInstanceVersion>(
      getProc(nullptr, "vkEnumerateInstanceVersion"));
  auto create = reinterpret_cast<PFN_vkCreateInstance>(
      getProc(nullptr, "vkCreateInstance"));
  uint32_t loaderVersion = VK_API_VERSION_1_0;
  if (enumerateVersion)
    if (Status s = check(enumerateVersion(&loaderVersion),
                         "vkEnumerateInstanceVersion");
        !s.ok())
      return s;
  if (!create || loaderVersion < VK_API_VERSION_1_1)
    return Status::unsupported("the Vulkan loader '" + name +
                               "' offers Vulkan 1.0 only; 1.1 is needed. "
                               "Install a newer libvulkan1");
  version =
      loaderVersion < VK_API_VERSION_1_3 ? loaderVersion : VK_API_VERSION_1_3;

  VkApplicationInfo app{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  app.pApplicationName = "helios";
  app.pEngineName = "helios";
  app.apiVersion = version;
  const char *layer = "VK_LAYER_KHRONOS_validation";
  VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  info.pApplicationInfo = &app;
  if (options.validation) {
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &layer;
  }
  // Loaders hide drivers that are layers over another interface (MoltenVK)
  // unless they are asked for.
  const char *portability = VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME;
  if (offers(getProc, portability)) {
    info.flags |= VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &portability;
  }
  VkResult r = create(&info, nullptr, &instance);
  if (r == VK_ERROR_LAYER_NOT_PRESENT)
    return Status::unsupported("the validation layer was asked for, but "
                               "VK_LAYER_KHRONOS_validation is not "
                               "installed (Debian: vulkan-validationlayers)");
  if (r == VK_ERROR_INCOMPATIBLE_DRIVER)
    return Status::unsupported(
        "vkCreateInstance found no Vulkan driver. Install the GPU's (NVIDIA: "
        "the proprietary driver, which opens libEGL.so.1 where there is no "
        "display, of Debian's libegl1; AMD and Intel: mesa-vulkan-drivers), or "
        "run scripts/get-lavapipe.sh for a device on the CPU");
  if (Status s = check(r, "vkCreateInstance"); !s.ok())
    return s;

  std::string absent;
#define X(fname)                                                               \
  functions.fname = reinterpret_cast<PFN_##fname>(getProc(instance, #fname));  \
  if (!functions.fname)                                                        \
    absent = #fname;
  HELIOS_VK_INSTANCE_FUNCTIONS(X)
#undef X
  if (!absent.empty())
    return Status::unsupported("the Vulkan loader '" + name + "' lacks " +
                               absent);
  functions.vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR =
      reinterpret_cast<PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR>(
          getProc(instance,
                  "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"));

  uint32_t count = 0;
  r = functions.vkEnumeratePhysicalDevices(instance, &count, nullptr);
  if (r == VK_SUCCESS && count) {
    devices.resize(count);
    r = functions.vkEnumeratePhysicalDevices(instance, &count, devices.data());
    devices.resize(count);
    if (r == VK_INCOMPLETE)
      r = VK_SUCCESS;
  }
  // A driver that finds no device of its own reports a failed initialisation.
  if (r == VK_ERROR_INITIALIZATION_FAILED)
    return Status::unsupported(
        "vkEnumeratePhysicalDevices failed with "
        "VK_ERROR_INITIALIZATION_FAILED: the "
        "installed Vulkan drivers find no device they can use");
  return check(r, "vkEnumeratePhysicalDevices");
}

Instance::~Instance() {
  if (instance && functions.vkDestroyInstance)
    functions.vkDestroyInstance(instance, nullptr);
  // The library stays open: drivers leave threads and handlers behind that
  // point into it.
}

} // namespace helios::rt::vulkan
