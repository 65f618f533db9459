// SPDX-License-Identifier: Apache-2.0
#include "analyzer/control/python_packages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/temp_dir.h"

namespace dltap::analyzer {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;

class PythonPackagesTest : public ::testing::Test {
 protected:
  std::string Folder(const std::string& name) {
    const std::string path = dir_.path() + "/" + name;
    fs::create_directories(path);
    return path;
  }
  std::string File(const std::string& name, const std::string& text = "") {
    Folder(fs::path(name).parent_path());
    const std::string path = dir_.Write(name, text);
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }
  std::vector<std::string> FoldersOf(const std::string& python) {
    std::vector<std::string> out;
    for (const fs::path& path : PackageFolders(python, environment_)) {
      out.push_back(path.string());
    }
    return out;
  }
  std::string Behind(const std::string& script) {
    return InterpreterOf(script, environment_).string();
  }

  TempDir dir_;
  Environment environment_;
};

TEST_F(PythonPackagesTest, AVirtualEnvironmentHasItsOwnAlone) {
  const std::string system = Folder("base/lib/python3.11/site-packages");
  const std::string own = Folder("venv/lib/python3.11/site-packages");
  environment_["HOME"] = dir_.path() + "/home";
  const std::string users = Folder("home/.local/lib/python3.11/site-packages");
  File("base/bin/python3.11");
  Folder("venv/bin");
  const std::string python = dir_.path() + "/venv/bin/python";
  fs::create_symlink("../../base/bin/python3.11", python);
  const std::string home = "home = " + dir_.path() + "/base/bin\n";
  File("venv/pyvenv.cfg", home + "include-system-site-packages = false\n");
  EXPECT_THAT(FoldersOf(python), ElementsAre(own));
  File("venv/pyvenv.cfg", home + "include-system-site-packages = true\n");
  EXPECT_THAT(FoldersOf(python), ElementsAre(users, own, system));
  environment_["PYTHONNOUSERSITE"] = "1";
  EXPECT_THAT(FoldersOf(python), ElementsAre(own, system));
}

TEST_F(PythonPackagesTest, ALinkLeadsToThePackagesOfWhatItMeans) {
  const std::string packages = Folder("opt/lib/python3.12/site-packages");
  const std::string older = Folder("opt/lib/python3.9/site-packages");
  File("opt/bin/python3.12");
  Folder("bin");
  const std::string link = dir_.path() + "/bin/python3";
  fs::create_symlink("../opt/bin/python3.12", link);
  EXPECT_THAT(FoldersOf(link), ElementsAre(packages));
}

TEST_F(PythonPackagesTest, PathFilesNameFolders) {
  const std::string packages = Folder("lib/python3.11/site-packages");
  const std::string named = Folder("other");
  const std::string beside = packages + "/beside";
  fs::create_directories(beside);
  File("lib/python3.11/site-packages/a.pth",
       "# comment\nimport site\n" + named + "\n/nonexistent\nbeside\r\n");
  EXPECT_THAT(FoldersOf(File("bin/python")),
              ElementsAre(packages, named, beside));
}

TEST_F(PythonPackagesTest, DebiansPipInstallsBesideDebiansPython) {
  const std::vector<std::string> folders = FoldersOf("/usr/bin/python3");
  std::error_code error;
  for (const fs::path site : {"/usr/local/lib/python3.11/dist-packages",
                              "/usr/lib/python3/dist-packages"}) {
    if (!fs::is_directory(site, error) ||
        fs::canonical("/usr/bin/python3", error).filename() != "python3.11") {
      continue;
    }
    EXPECT_THAT(folders, Contains(site.string()));
  }
}

TEST_F(PythonPackagesTest, ShimsStandForTheChosenVersion) {
  const std::string shim = File("env/shims/python3", "#!/usr/bin/env bash\n");
  const std::string tool = File("env/shims/torchrun", "#!/usr/bin/env bash\n");
  const std::string older = File("env/versions/3.9.5/bin/python3");
  const std::string newer = File("env/versions/3.11.7/bin/python3");
  File("env/versions/3.11.10/bin/python3");
  File("env/versions/3.11.7/bin/torchrun", "#!" + newer + "\n");
  environment_["PYENV_VERSION"] = "3.9.5:3.11.7";
  EXPECT_EQ(Behind(shim), older);
  environment_["PYENV_VERSION"] = "3.11.7";
  EXPECT_EQ(Behind(shim), newer);
  EXPECT_EQ(Behind(tool), newer);
  environment_["PYENV_VERSION"] = "3.11";
  EXPECT_EQ(fs::path(Behind(shim)).parent_path().parent_path().filename(),
            "3.11.10");
  environment_["PYENV_VERSION"] = "system";
  const std::string system = File("usr/python3");
  environment_["PATH"] = dir_.path() + "/env/shims:" + dir_.path() + "/usr";
  EXPECT_EQ(Behind(shim), system);
}

}  // namespace
}  // namespace dltap::analyzer
