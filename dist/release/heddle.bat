@echo off
rem Starts Heddle from a release: on the runtime beside it, or on Java 17 or newer.
rem   HEDDLE_JAVA_HOME   the Java to use, whatever else is installed
rem   HEDDLE_JAVA_OPTS   more options for the virtual machine, such as -Xmx8g
setlocal
set "root=%~dp0"
set "java=java"
if exist "%root%runtime\bin\java.exe" set "java=%root%runtime\bin\java.exe"
if not exist "%root%runtime\bin\java.exe" if defined JAVA_HOME set "java=%JAVA_HOME%\bin\java.exe"
if defined HEDDLE_JAVA_HOME set "java=%HEDDLE_JAVA_HOME%\bin\java.exe"
"%java%" -version >nul 2>&1
if errorlevel 1 (
  echo heddle: needs Java 17 or newer, and found none; install one, or set HEDDLE_JAVA_HOME 1>&2
  exit /b 3
)
"%java%" -XX:+UseSerialGC -XX:-UsePerfData -Xshare:auto "-Dheddle.plugin.path=%root%plugins" "-Dheddle.samples=%root%scenarios" %HEDDLE_JAVA_OPTS% -cp "%root%lib\*" dev.heddle.cli.Main %*
exit /b %errorlevel%
